"""What there is to label in a store: its items, and the grades that they may get."""

from __future__ import annotations

from functools import cached_property
from types import TracebackType
from typing import Self

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.labels._checks import whole_number
from rankwise.labels._database import Database
from rankwise.labels._items import Item, NewItems, read_data, read_item, read_metadata


class StoredItems:
    """The items of an open file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._metadata = read_metadata(database)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

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

    def _check_item(self, item: int) -> int:
        return whole_number(item, "an item", 0, self._metadata.n_items - 1)
