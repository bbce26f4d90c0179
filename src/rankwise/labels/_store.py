"""`LabelStore`: what is to be labelled, who judged what and when, in one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from rankwise.labels._agreement import Agreement, agreement_of, majority
from rankwise.labels._checks import MAX_HIGHEST_GRADE, check_grade_names, check_name, plain_text, whole_number
from rankwise.labels._database import Database, apply_scripts
from rankwise.labels._files import ImportResult, export_labels, import_labels
from rankwise.labels._items import Item, NewItems, read_data, read_item, read_metadata
from rankwise.labels._judgements import Judgement
from rankwise.labels._rounds import LabelRound, StoredModel
from rankwise.types import FloatArray

DEFAULT_HIGHEST_GRADE = 4
MAX_ID = 2**63 - 1


class LabelStore:
    """Items to label and everything that was said about them, in one SQLite file; nothing is ever overwritten.

    An item is a row of the data that the store was made from, by its number. A call that records something returns
    when it is on the disk; one that raises has changed nothing. Threads may share a store; processes open one each.
    `LabelStore.create` makes one, `LabelStore.open` opens it again, and `with` closes it.

    Parameters
    ----------
    database : Database
        An open file; `create` and `open` make it from a path.

    Examples
    --------
    >>> import tempfile
    >>> from rankwise.data import RankingData
    >>> folder = tempfile.TemporaryDirectory()
    >>> data = RankingData([[0.5], [0.1]], [-1, -1], qid=[7, 7])
    >>> with LabelStore.create(f"{folder.name}/labels.db", data) as store:
    ...     _ = store.judge(0, 3, "ana"), store.judge(0, 1, "ben"), store.judge(0, 3, "cem")
    ...     store.labels()
    array([ 3., -1.])
    >>> folder.cleanup()
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._metadata = read_metadata(database)

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        data: RankingData,
        texts: Mapping[str, object] | None = None,
        query_texts: Mapping[Any, object] | None = None,
        *,
        highest_grade: int | None = None,
        grade_names: Sequence[str] | None = None,
    ) -> LabelStore:
        """Make a store of the rows of `data`, all of them unjudged.

        Parameters
        ----------
        path : str or PathLike
            The new file; its owner alone can read it.
        data : RankingData
            What is to be labelled; its own labels are for `import_judgements`.
        texts : mapping, default=None
            A text or a mapping of fields by document id; `read_texts` reads them from a file.
        query_texts : mapping, default=None
            A text or a mapping of fields by query id.
        highest_grade : int, default=None
            Grades go from 0 to this one, at most 100; 4, or as many as have names, if it is left out.
        grade_names : sequence of str, default=None
            A word for each grade, from 0 up, which labellers see: `["bad", "fair", "good"]`. Labels stay numbers.

        Returns
        -------
        LabelStore
            The store, open.

        Raises
        ------
        DataError
            If there is a store already, an id of a document stands twice in a query, or grades and names do not fit.
        StoreError
            If the file cannot be written.
        """
        names = check_grade_names(grade_names)
        if highest_grade is None:
            highest_grade = DEFAULT_HIGHEST_GRADE if names is None else len(names) - 1
        highest_grade = whole_number(highest_grade, "the highest grade", 1, MAX_HIGHEST_GRADE)
        if names is not None and len(names) != highest_grade + 1:
            raise DataError(
                f"grades 0 to {highest_grade} must have a name each, got {len(names)}; leave one of both out"
            )
        items = NewItems(data, texts or {}, query_texts or {})
        database = Database.create(Path(path))
        with database.closed_on_error():
            with database.transaction() as connection:
                database.check_empty()  # another process may have been faster
                apply_scripts(connection, 0)
                items.insert(connection, highest_grade, names)
                rounds.add_round(connection, 0, [], None, None, {}, None, labelled=0)
            return cls(database)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> LabelStore:
        """Open a store; one that an older rankwise made is brought up to date.

        Parameters
        ----------
        path : str or PathLike
            The file.

        Returns
        -------
        LabelStore
            The store.

        Raises
        ------
        DataError
            If there is no such file, or its creation was cut off.
        StoreError
            If the file is no label store, is damaged, or a newer rankwise made it.
        """
        database = Database.open(Path(path))
        with database.closed_on_error():
            judgements.check_all(database)
            return cls(database)

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
        return self._metadata.highest_grade

    @property
    def grade_names(self) -> list[str] | None:
        """A word for each grade, from 0 up; None where they have none."""
        return self._metadata.grade_names

    @cached_property
    def data(self) -> RankingData:
        """All items, every row unjudged (-1). It is read once and kept; documents without ids are named by row."""
        return read_data(self._database, self._metadata)

    def item(self, item: int) -> Item:
        """What a labeller is shown of an item.

        Parameters
        ----------
        item : int
            The item, by its row in the data.

        Returns
        -------
        Item
            Its ids and texts. Texts are data: escape them wherever they are shown.
        """
        return read_item(self._database, self._check_item(item))

    def check_data(self, data: RankingData) -> None:
        """Refuse data with other rows, ids or features than the store was made from; labels may differ.

        Parameters
        ----------
        data : RankingData
            The data to compare.

        Raises
        ------
        DataError
            If they are other data.
        """
        if NewItems(data, {}, {}).digest != self._metadata.digest:
            raise DataError(
                f"{self._database.path} was made from other data than these {len(data)} rows; "
                "pass the data it was made from, or create another store"
            )

    # What labellers do

    def judge(
        self,
        item: int,
        grade: int,
        labeller: str,
        *,
        round: int | None = None,
        note: str | None = None,
        once: bool = False,
    ) -> Judgement:
        """Record a grade.

        Parameters
        ----------
        item : int
            The item, by its row in the data.
        grade : int
            From 0 to `highest_grade`.
        labeller : str
            Who judges.
        round : int, default=None
            The round that the labeller believes to be open; if it is given and another one is, nothing is recorded.
        note : str, default=None
            A remark, which replaces an earlier one; "" removes it.
        once : bool, default=False
            Record nothing if the labeller holds just that already: a request that arrives twice is one act.

        Returns
        -------
        Judgement
            What was recorded, or with `once` the act that stands.

        Raises
        ------
        DataError
            If there is no such item or grade, or the round is not open.
        StoreError
            If the file is busy, full or damaged.
        """
        grade = whole_number(grade, "a grade", 0, self.highest_grade)
        return self._act("grade", item, labeller, round, note, once, grade=grade, skipped=False)

    def skip(
        self, item: int, labeller: str, *, round: int | None = None, note: str | None = None, once: bool = False
    ) -> Judgement:
        """Record that a labeller does not judge an item; a grade that they gave before holds no longer.

        Parameters
        ----------
        item : int
            The item, by its row in the data.
        labeller : str
            Who skips it.
        round : int, default=None
            The round that the labeller believes to be open; if it is given and another one is, nothing is recorded.
        note : str, default=None
            A remark, which replaces an earlier one; "" removes it.
        once : bool, default=False
            As `judge` takes it.

        Returns
        -------
        Judgement
            What was recorded, or with `once` the act that stands.
        """
        return self._act("skip", item, labeller, round, note, once, grade=None, skipped=True)

    def note(self, item: int, note: str, labeller: str, *, round: int | None = None, once: bool = False) -> Judgement:
        """Record a remark of a labeller on an item; their grade stays.

        Parameters
        ----------
        item : int
            The item, by its row in the data.
        note : str
            The remark, of at most 10,000 characters; "" removes an earlier one.
        labeller : str
            Whose remark it is.
        round : int, default=None
            The round that the labeller believes to be open; if it is given and another one is, nothing is recorded.
        once : bool, default=False
            As `judge` takes it.

        Returns
        -------
        Judgement
            What was recorded, or with `once` the act that stands.
        """
        return self._act("note", item, labeller, round, plain_text(note, "a note"), once)

    def undo(self, labeller: str, *, last: int | None = None) -> Judgement:
        """Take back the last act of a labeller (grade, skip or note), and the one before it the next time.

        Parameters
        ----------
        labeller : str
            Whose act is taken back.
        last : int, default=None
            The id of the judgement that they mean: a request that arrives twice undoes once.

        Returns
        -------
        Judgement
            The act that undoes; it holds what held before the act that it undoes.

        Raises
        ------
        DataError
            If there is nothing to undo, or the last act is another one than `last`.
        """
        labeller = check_name(labeller)
        with self._database.transaction() as connection:
            return judgements.undo(connection, labeller, last)

    def _act(
        self, act: str, item: int, labeller: str, round: int | None, note: str | None, once: bool, **change: Any
    ) -> Judgement:
        item, labeller = self._check_item(item), check_name(labeller)
        if note is not None:
            change["note"] = plain_text(note, "a note") or None
        with self._database.transaction() as connection:
            open_round = rounds.check_round(connection, round)
            before = judgements.state(connection, item, labeller)
            after = before._replace(**change)
            standing = judgements.last_of(self._database, item, labeller) if once and after == before else None
            return standing or judgements.add(connection, item, labeller, act, after, open_round)

    def _check_item(self, item: int) -> int:
        return whole_number(item, "an item", 0, self._metadata.n_items - 1)

    # What they have said

    def labellers(self) -> list[str]:
        """The names of all who have recorded anything.

        Returns
        -------
        list of str
            The names, sorted.
        """
        return [name for (name,) in self._database.rows("SELECT DISTINCT who FROM judgements ORDER BY who")]

    def acts_since(self, id: int) -> list[Judgement]:
        """What was recorded after a judgement, in this process or another.

        Parameters
        ----------
        id : int
            The id of that judgement; 0 is before all.

        Returns
        -------
        list of Judgement
            All acts of all labellers after it, oldest first.
        """
        return judgements.select(self._database, "id > ?", (whole_number(id, "an id", 0, MAX_ID),))

    def judged_by(self, labeller: str) -> list[Judgement]:
        """The last judgement of a labeller on each item that they hold graded or skipped.

        Parameters
        ----------
        labeller : str
            Whose judgements.

        Returns
        -------
        list of Judgement
            One per item, oldest first.
        """
        held = "id IN (SELECT max(id) FROM judgements WHERE who = ? GROUP BY item) AND (grade IS NOT NULL OR skipped)"
        return judgements.select(self._database, held, (check_name(labeller),))

    def last_act(self, labeller: str) -> Judgement | None:
        """What `undo` would take back.

        Parameters
        ----------
        labeller : str
            Whose act.

        Returns
        -------
        Judgement or None
            The act, None where there is nothing to undo; its id is the `last` to pass to `undo`.
        """
        return judgements.last_act(self._database, check_name(labeller))

    def history(self, item: int) -> list[Judgement]:
        """Everything that was ever recorded of an item.

        Parameters
        ----------
        item : int
            The item, by its row in the data.

        Returns
        -------
        list of Judgement
            All acts of all labellers, oldest first.
        """
        return judgements.select(self._database, "item = ?", (self._check_item(item),))

    def last_judgement(self, item: int, labeller: str) -> Judgement | None:
        """The last act of a labeller on an item, which says what they hold of it.

        Parameters
        ----------
        item : int
            The item, by its row in the data.
        labeller : str
            Whose act.

        Returns
        -------
        Judgement or None
            The act, None if the labeller has left the item alone.
        """
        return judgements.last_of(self._database, self._check_item(item), check_name(labeller))

    def labels(self, labeller: str | None = None) -> FloatArray:
        """One label per item, by the majority of labellers or by one of them.

        Parameters
        ----------
        labeller : str, default=None
            Whose labels; those of the majority if it is left out. Of grades that equally many gave, the lowest counts.

        Returns
        -------
        ndarray of shape (n_items,)
            The labels, -1 where nobody holds one.
        """
        held = judgements.in_force(self._database, None if labeller is None else check_name(labeller))
        return majority([item for item, _, _ in held], [grade for _, _, grade in held], self._metadata.n_items)

    def training_data(self, labeller: str | None = None) -> RankingData:
        """The data with their labels in place.

        Parameters
        ----------
        labeller : str, default=None
            Whose labels, as `labels` takes it.

        Returns
        -------
        RankingData
            All items; those without a label have -1.
        """
        return replace(self.data, y=self.labels(labeller))

    def agreement(self) -> Agreement:
        """How far labellers agree on the items that more than one of them has judged.

        Returns
        -------
        Agreement
            Cohen's kappa pair by pair, and Fleiss' kappa of all.
        """
        return agreement_of(judgements.in_force(self._database, None))

    # Files

    def export_judgements(self, path: str | PathLike[str], labeller: str | None = None) -> int:
        """Write the judged rows with their labels.

        Parameters
        ----------
        path : str or PathLike
            The ending chooses the format: `.qrels` is TREC's, `.csv`, `.tsv` and `.parquet` are tables, any other is
            LETOR text; all but the first have the features too.
        labeller : str, default=None
            Whose labels, as `labels` takes it.

        Returns
        -------
        int
            How many rows were written.

        Raises
        ------
        DataError
            If there is nothing to write, or the path is the store itself.
        """
        self._database.check_other(path)
        return export_labels(self.training_data(labeller), Path(path))

    def import_judgements(
        self, path: str | PathLike[str], labeller: str, *, skip_unknown: bool = False
    ) -> ImportResult:
        """Record the labels of a file as judgements of a labeller: all or none.

        Parameters
        ----------
        path : str or PathLike
            A file of any format that `export_judgements` writes. Rows are found by query and document id; labels
            below 0 are left out, and so is what the labeller holds already.
        labeller : str
            Whose judgements they become.
        skip_unknown : bool, default=False
            Count documents that are not in the store instead of refusing the file.

        Returns
        -------
        ImportResult
            How many labels were recorded, unchanged and unknown.

        Raises
        ------
        DataError
            If a document is not in the store, or a label is no grade.
        """
        self._database.check_other(path)
        return import_labels(self._database, Path(path), check_name(labeller), self.highest_grade, skip_unknown)

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
        model: str | PathLike[str] | None = None,
    ) -> None:
        """Close the open round and open the next; of several processes that try, one does.

        Parameters
        ----------
        number : int
            The number of the new round, one more than that of the open one.
        items : iterable of int
            What is to be labelled in it, each item once.
        sampler : str
            The name of the sampler that chose them.
        ranker : str
            The name of the ranker fitted on the labels so far.
        metrics : mapping of str to float, default=None
            How good that ranker is.
        gain : float, default=None
            What the round is expected to add.
        model : str or PathLike, default=None
            The file of that ranker, which is recorded with the round and renamed to `round-NUMBER.rw` in its folder;
            where the round is not begun, it stays as it is.

        Raises
        ------
        DataError
            If another round is next, an item is there twice, a number is not finite, or there is no such model file.
        """
        chosen = [self._check_item(item) for item in items]
        if len(set(chosen)) < len(chosen):
            raise DataError(f"a round must have an item once, got {len(chosen) - len(set(chosen))} twice; drop them")
        sampler, ranker = check_name(sampler, "a sampler"), check_name(ranker, "a ranker")
        with self._database.transaction() as connection:
            labelled = judgements.labelled_items(connection)
            rounds.add_round(connection, number, chosen, sampler, ranker, metrics or {}, gain, labelled)
            if model is not None:
                rounds.add_model(connection, Path(model), f"round-{number}.rw")

    @property
    def position(self) -> tuple[int, int]:
        """The number of the open round and the id of the last judgement: other numbers, and somebody was here."""
        ((round, id),) = self._database.rows(f"SELECT ({rounds.OPEN_ROUND}), ({judgements.LAST_ID})")
        return int(round), int(id)

    def rounds(self) -> list[LabelRound]:
        """All rounds, together the learning curve.

        Returns
        -------
        list of LabelRound
            The open one last; round 0 is what was known before anything was chosen.
        """
        return rounds.read_rounds(self._database)

    def record_model(self, path: str | PathLike[str]) -> StoredModel:
        """Note the model file that belongs to the open round.

        Parameters
        ----------
        path : str or PathLike
            The file, as `rankwise.save` wrote it.

        Returns
        -------
        StoredModel
            Its path, with a digest of its bytes.

        Raises
        ------
        DataError
            If there is no such file.
        """
        with self._database.transaction() as connection:
            return rounds.add_model(connection, Path(path))

    def models(self) -> list[StoredModel]:
        """All models that were recorded.

        Returns
        -------
        list of StoredModel
            The latest last.
        """
        return rounds.read_models(self._database)
