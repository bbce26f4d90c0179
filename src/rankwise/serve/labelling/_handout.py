"""Who labels what in a round: whole queries are handed out, so that two people do not do the same work."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rankwise.labels import Judgement

KEPT_SECONDS = 600.0  # of silence, after which somebody else may have a query


class Handout:
    """The queries of a round, a list of items each; an item is done when `overlap` labellers graded or skipped it."""

    def __init__(
        self, queries: Sequence[Sequence[int]], overlap: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.queries = queries
        self.items = [item for items in queries for item in items]
        self._place = {item: place for place, items in enumerate(queries) for item in items}
        self._judged_by: dict[int, set[str]] = {item: set() for item in self.items}
        self._seen: dict[tuple[int, str], float] = {}  # when somebody last dealt with the query that they were given
        self._overlap = overlap
        self._clock = clock

    def record(self, act: Judgement) -> None:
        """What a labeller now holds of an item; items of other rounds are not our business."""
        if act.item in self._place:
            who = self._judged_by[act.item]
            (who.add if act.grade is not None or act.skipped else who.discard)(act.who)
            self._seen[self._place[act.item], act.who] = self._clock()

    def place_of(self, item: int) -> int | None:
        """The query of an item, None where it is not in this round."""
        return self._place.get(item)

    def next_place(self, who: str) -> int | None:
        """The query that a labeller should do now: the one that they have, or the first that needs somebody."""
        places = range(len(self.queries))
        mine = [place for place in places if (place, who) in self._seen and self._open(place, who)]
        found = next(iter([*mine, *(place for place in places if self._wanted(place, who))]), None)
        if found is not None:
            self._seen[found, who] = self._clock()
        return found

    def shown(self, place: int, who: str) -> list[int]:
        """Items of a query that concern a labeller: theirs, and those that others have not done."""
        return [item for item in self.queries[place] if who in self._judged_by[item] or not self._is_done(item)]

    def held(self, who: str) -> list[int]:
        """Places of queries in which a labeller has judged something."""
        return [p for p, items in enumerate(self.queries) if any(who in self._judged_by[item] for item in items)]

    def n_done(self) -> int:
        """How many items are done."""
        return sum(map(self._is_done, self.items))

    def n_judged(self, who: str | None = None) -> int:
        """How many items somebody has judged, or `who`."""
        return sum(bool(judged) if who is None else who in judged for judged in self._judged_by.values())

    def _is_done(self, item: int) -> bool:
        return len(self._judged_by[item]) >= self._overlap

    def _open(self, place: int, who: str) -> bool:
        return any(who not in self._judged_by[item] and not self._is_done(item) for item in self.queries[place])

    def _wanted(self, place: int, who: str) -> bool:
        """Whether a query needs one more labeller than those who have done it or are at it."""
        since = self._clock() - KEPT_SECONDS
        at_it = {name for (at, name), seen in self._seen.items() if at == place and seen > since and name != who}
        return any(
            who not in self._judged_by[item] and len(self._judged_by[item] | at_it) < self._overlap
            for item in self.queries[place]
        )
