"""Rounds on all workers in step: each adds its rows to the same trees."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.rankers.trees._boosting import Rounds
from rankwise.rankers.trees.dask._cluster import Cluster
from rankwise.rankers.trees.dask._worker import Grown, Sum


class ClusterEngine:
    """Grows trees on all parts; they are told after each round, so that none is lost with a worker."""

    def __init__(self, cluster: Cluster, rounds: Rounds, metric: Metric, parts: list[Grown]) -> None:
        self.cluster, self.rounds, self.metric, self.parts = cluster, rounds, metric, parts

    @property
    def done(self) -> int:
        """Rounds so far."""
        return self.rounds.done

    def grow(self) -> bool:
        """One round; False if there is nothing to split."""
        largest = tuple(max(sizes) for sizes in zip(*(part.largest for part in self.parts), strict=True))
        self.parts = self.cluster.each("grow", [(largest, number == 0) for number in range(len(self.parts))])
        first = self.parts[0]
        self.rounds.header = first.header or self.rounds.header
        self.rounds.trees += first.trees
        return first.grown

    def judge(self) -> list[float]:
        """The metric on each judged set, over the queries of all parts."""
        return [combined(sums, self.metric) for sums in zip(*(part.judged for part in self.parts), strict=True)]

    def fetch(self) -> Rounds:
        """The rounds up to now, which are here already."""
        return self.rounds


def combined(sums: Sequence[Sum], metric: Metric) -> float:
    """The mean over all queries."""
    count = sum(number for _, number in sums)
    if not count:
        raise DataError(f"no query of eval_set has {metric.needs}, which {metric} needs; pass other queries")
    return math.fsum(total for total, _ in sums) / count
