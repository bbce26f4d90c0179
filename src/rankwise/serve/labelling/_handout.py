"""Who labels what in a round: whole queries are handed out, so that two people do not do the same work."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import chain

from rankwise.labels import Judgement

CLAIM_SECONDS = 600.0  # of silence, after which somebody else may have a query


class Handout:
    """The queries of a round, a list of items each; an item is done when `overlap` labellers graded or skipped it."""

    def __init__(
        self, queries: Sequence[Sequence[int]], overlap: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.queries = queries
        self.items = [item for items in queries for item in items]
        self._query_of_item = {item: query for query, items in enumerate(queries) for item in items}
        self._judged_by: dict[int, set[str]] = {item: set() for item in self.items}
        self._claims: dict[tuple[int, str], float] = {}  # when a labeller last dealt with a query that they claimed
        self._overlap = overlap
        self._clock = clock

    def record(self, act: Judgement) -> None:
        """What a labeller now holds of an item; items of other rounds are not our business."""
        if act.item in self._query_of_item:
            labellers = self._judged_by[act.item]
            (labellers.add if act.grade is not None or act.skipped else labellers.discard)(act.labeller)
            self._claims[self._query_of_item[act.item], act.labeller] = self._clock()

    def query_of(self, item: int) -> int | None:
        """The query of an item, None where it is not in this round."""
        return self._query_of_item.get(item)

    def open_query(self, labeller: str) -> int | None:
        """The query that a labeller would do now: the one that they have, or the first that needs somebody."""
        queries = range(len(self.queries))
        claimed = (query for query in queries if (query, labeller) in self._claims and self._is_open(query, labeller))
        wanted = (query for query in queries if self._is_wanted(query, labeller))
        return next(chain(claimed, wanted), None)

    def claim_query(self, labeller: str) -> int | None:
        """Hand the open query of a labeller out to them, so that nobody else gets it for a while."""
        query = self.open_query(labeller)
        if query is not None:
            self._claims[query, labeller] = self._clock()
        return query

    def shown(self, query: int, labeller: str) -> list[int]:
        """Items of a query that concern a labeller: theirs, and those that others have not done."""
        return [item for item in self.queries[query] if labeller in self._judged_by[item] or not self._is_done(item)]

    def judged_queries(self, labeller: str) -> list[int]:
        """Queries in which a labeller has judged something."""
        return [
            query
            for query, items in enumerate(self.queries)
            if any(labeller in self._judged_by[item] for item in items)
        ]

    def n_done(self) -> int:
        """How many items are done."""
        return sum(map(self._is_done, self.items))

    def n_judged(self, labeller: str | None = None) -> int:
        """How many items somebody has judged, or this labeller."""
        return sum(bool(names) if labeller is None else labeller in names for names in self._judged_by.values())

    def _is_done(self, item: int) -> bool:
        return len(self._judged_by[item]) >= self._overlap

    def _is_open(self, query: int, labeller: str) -> bool:
        return any(labeller not in self._judged_by[item] and not self._is_done(item) for item in self.queries[query])

    def _is_wanted(self, query: int, labeller: str) -> bool:
        """Whether a query needs one more labeller than those who have done it or are at it."""
        since = self._clock() - CLAIM_SECONDS
        others = {
            name for (claimed, name), at in self._claims.items() if claimed == query and at > since and name != labeller
        }
        return any(
            labeller not in self._judged_by[item] and len(self._judged_by[item] | others) < self._overlap
            for item in self.queries[query]
        )
