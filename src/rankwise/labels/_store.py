"""`LabelStore`: what is to be labelled, who judged what and when, in one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.labels import _judgements as judgements
from rankwise.labels import _rounds as rounds
from rankwise.labels._agreement import Agreement, agreement_of
from rankwise.labels._checked import check_name, plain_text, whole_number
from rankwise.labels._database import Database
from rankwise.labels._exchange import Imported, export_labels, import_labels
from rankwise.labels._items import Item, read_data, read_facts, read_item
from rankwise.labels._judgements import Judgement
from rankwise.labels._majority import majority
from rankwise.labels._migrate import apply_scripts
from rankwise.labels._new_items import NewItems
from rankwise.labels._rounds import Round, StoredModel
from rankwise.types import FloatArray

MOST_GRADES = 100


class LabelStore:
    """Items to label and everything that was said about them; nothing is ever overwritten.

    An item is a row of the data that the store was made from, by its number. A call that records something returns
    when it is on the disk; one that raises has changed nothing. Threads may share a store; processes open one each.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._facts = read_facts(database)

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        data: RankingData,
        texts: Mapping[str, Any] | None = None,
        query_texts: Mapping[Any, Any] | None = None,
        *,
        highest_grade: int = 4,
    ) -> LabelStore:
        """Make a store of the rows of `data`, all of them unjudged: labels of `data` are for `import_judgements`.

        `texts` has a text or a mapping of fields by document id, `query_texts` by query id; `read_texts` reads both.
        The file can be read by its owner alone.
        """
        highest_grade = whole_number(highest_grade, "the highest grade", 1, MOST_GRADES)
        items = NewItems(data, texts or {}, query_texts or {})
        database = Database.create(Path(path))
        try:
            with database.transaction() as connection:
                database.check_empty()  # another process may have been faster
                apply_scripts(connection, 0)
                items.insert(connection, highest_grade)
                rounds.add_round(connection, 0, [], None, None, {}, None, labelled=0)
            return cls(database)
        except BaseException:
            database.close()
            raise

    @classmethod
    def open(cls, path: str | PathLike[str]) -> LabelStore:
        """Open a store; one that an older rankwise made is brought up to date."""
        database = Database.open(Path(path))
        try:
            return cls(database)
        except BaseException:
            database.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __enter__(self) -> LabelStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # What there is to label

    @property
    def highest_grade(self) -> int:
        """Grades go from 0 to this one."""
        return self._facts.highest_grade

    @cached_property
    def data(self) -> RankingData:
        """All items, every row unjudged (-1). It is read once and kept; documents without ids are named by row."""
        return read_data(self._database, self._facts)

    def item(self, item: int) -> Item:
        """What a labeller is shown of an item. Texts are data: escape them wherever they are shown."""
        return read_item(self._database, self._known(item))

    def check_data(self, data: RankingData) -> None:
        """Refuse data with other rows, ids or features than the store was made from; labels may differ."""
        if NewItems(data, {}, {}).digest != self._facts.digest:
            raise DataError(
                f"{self._database.path} was made from other data than these {len(data)} rows; "
                "pass the data it was made from, or create another store"
            )

    # What labellers do

    def judge(self, item: int, grade: int, who: str, *, round: int | None = None, note: str | None = None) -> Judgement:
        """Record a grade. `round`, if given, must be the open one; a `note` replaces an earlier one, "" removes it."""
        grade = whole_number(grade, "a grade", 0, self.highest_grade)
        return self._act("grade", item, who, round, note, grade=grade, skipped=False)

    def skip(self, item: int, who: str, *, round: int | None = None, note: str | None = None) -> Judgement:
        """Record that a labeller does not judge this item; a grade that they gave before holds no longer."""
        return self._act("skip", item, who, round, note, grade=None, skipped=True)

    def note(self, item: int, note: str, who: str, *, round: int | None = None) -> Judgement:
        """Record a remark of a labeller on an item; their grade stays."""
        return self._act("note", item, who, round, plain_text(note, "a note"))

    def undo(self, who: str, *, last: int | None = None) -> Judgement:
        """Take back the last act of a labeller (grade, skip or note), and the one before it the next time.

        `last`, if given, is the id of the judgement that they mean: a request that arrives twice undoes once.
        """
        who = check_name(who)
        with self._database.transaction() as connection:
            return judgements.undo(connection, who, last)

    def _act(self, act: str, item: int, who: str, round: int | None, note: str | None, **change: Any) -> Judgement:
        item, who = self._known(item), check_name(who)
        if note is not None:
            change["note"] = plain_text(note, "a note") or None
        with self._database.transaction() as connection:
            open_round = rounds.check_round(connection, round)
            before = judgements.state(connection, item, who)
            return judgements.add(connection, item, who, act, before._replace(**change), open_round)

    def _known(self, item: int) -> int:
        return whole_number(item, "an item", 0, self._facts.n_items - 1)

    # What they have said

    def labellers(self) -> list[str]:
        """The names of all who have recorded anything."""
        return [who for (who,) in self._database.rows("SELECT DISTINCT who FROM judgements ORDER BY who")]

    def judged_by(self, who: str) -> list[Judgement]:
        """The last judgement of a labeller on each item that they hold graded or skipped, oldest first."""
        held = "id IN (SELECT max(id) FROM judgements WHERE who = ? GROUP BY item) AND (grade IS NOT NULL OR skipped)"
        return judgements.select(self._database, held, (check_name(who),))

    def last_act(self, who: str) -> Judgement | None:
        """What `undo` would take back, None where there is nothing; its id is the `last` to pass."""
        return judgements.last_act(self._database, check_name(who))

    def history(self, item: int) -> list[Judgement]:
        """Everything that was ever recorded of an item, oldest first."""
        return judgements.select(self._database, "item = ?", (self._known(item),))

    def labels(self, who: str | None = None) -> FloatArray:
        """One label an item, -1 where nobody holds one: the majority of labellers, or `who` alone.

        Of grades that equally many gave, the lowest counts.
        """
        held = judgements.in_force(self._database, None if who is None else check_name(who))
        return majority([item for item, _, _ in held], [grade for _, _, grade in held], self._facts.n_items)

    def training_data(self, who: str | None = None) -> RankingData:
        """The data with `labels` in place."""
        return replace(self.data, y=self.labels(who))

    def agreement(self) -> Agreement:
        """How far labellers agree on the items that more than one of them has judged."""
        return agreement_of(judgements.in_force(self._database, None))

    # Files

    def export_judgements(self, path: str | PathLike[str], who: str | None = None) -> int:
        """Write the judged rows with their majority labels, or those of `who`, and return how many.

        The ending chooses the format: `.qrels` is TREC's, `.csv`, `.tsv` and `.parquet` are tables, any other is LETOR
        text; all but the first have the features too.
        """
        self._database.check_other(path)
        return export_labels(self.training_data(who), Path(path))

    def import_judgements(self, path: str | PathLike[str], who: str, *, skip_unknown: bool = False) -> Imported:
        """Record the labels of a file (of any format that is exported) as judgements of `who`: all or none.

        Rows are found by query and document id; labels below 0 are left out, and so is what `who` holds already.
        """
        self._database.check_other(path)
        return import_labels(self._database, Path(path), check_name(who), self.highest_grade, skip_unknown)

    # Rounds

    def begin_round(
        self,
        number: int,
        items: Iterable[int],
        *,
        sampler: str,
        ranker: str,
        metrics: Mapping[str, float] | None = None,
        gain: float | None = None,
    ) -> None:
        """Close the open round and open the next, `number`, in which these items are to be labelled.

        `metrics` are those of the ranker fitted on the labels so far, `gain` is what the round is expected to add.
        """
        chosen = [self._known(item) for item in items]
        if len(set(chosen)) < len(chosen):
            raise DataError(f"a round must have an item once, got {len(chosen) - len(set(chosen))} twice; drop them")
        sampler, ranker = check_name(sampler, "a sampler"), check_name(ranker, "a ranker")
        with self._database.transaction() as connection:
            labelled = judgements.labelled_items(connection)
            rounds.add_round(connection, number, chosen, sampler, ranker, metrics or {}, gain, labelled)

    def rounds(self) -> list[Round]:
        """All rounds, the open one last; round 0 is what was known before anything was chosen."""
        return rounds.read_rounds(self._database)

    def record_model(self, path: str | PathLike[str]) -> StoredModel:
        """Note the model file that belongs to the open round, with a digest of its bytes."""
        with self._database.transaction() as connection:
            return rounds.add_model(connection, Path(path))

    def models(self) -> list[StoredModel]:
        """All models that were recorded, the latest last."""
        return rounds.read_models(self._database)
