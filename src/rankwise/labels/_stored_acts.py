"""What labellers do, and what they have done: grades, skips, notes and what was taken back."""

from __future__ import annotations

from typing import Any

from rankwise.labels import _judgements as judgements
from rankwise.labels import _rounds as rounds
from rankwise.labels._checks import check_name, plain_text, whole_number
from rankwise.labels._judgements import Judgement
from rankwise.labels._stored_items import StoredItems

MAX_ID = 2**63 - 1


class StoredActs(StoredItems):
    """The acts of all labellers, none of which is ever overwritten."""

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
