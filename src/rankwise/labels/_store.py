"""`LabelStore`: what is to be labelled, who judged what and when, in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.labels import _judgements as judgements
from rankwise.labels import _rounds as rounds
from rankwise.labels._checks import MAX_HIGHEST_GRADE, check_grade_names, whole_number
from rankwise.labels._database import Database, apply_scripts
from rankwise.labels._items import NewItems
from rankwise.labels._stored_labels import StoredLabels
from rankwise.labels._stored_rounds import StoredRounds

DEFAULT_HIGHEST_GRADE = 4


class LabelStore(StoredLabels, StoredRounds):
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
