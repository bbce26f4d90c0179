"""Change (ours): label the documents whose labels are expected to move a metric most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.objectives.lambdas._objective import LambdaObjective
from rankwise.sampling._base import Sampler
from rankwise.sampling._pool import Pool
from rankwise.sampling._posterior import deviation_of, grade_chances
from rankwise.types import FloatArray


@dataclass(frozen=True)
class Change(Sampler):
    """Documents that a metric would push furthest, up or down, if their labels were known.

    Labels of all candidates are drawn by how likely each grade is at their scores; then |λ| of a document is how much
    the metric asks it to move: the sum over its pairs, those that push it up less those that push it down, of |ΔM|, the
    change of the metric if the two exchange their places, times the chance that they are in the wrong order. The
    utility is the mean over `draws`. Any metric that rankers can be trained on will do, and any grades.
    """

    metric: str = "ndcg@10"
    draws: int = 8

    kind: ClassVar[str] = "change"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.metric, str | Metric):
            raise DataError(f"metric must be the name of a metric, got {self.metric!r}; pass for example 'ndcg@10'")
        object.__setattr__(self, "metric", str(parse(self.metric)))
        if isinstance(self.draws, bool) or not isinstance(self.draws, int) or self.draws < 1:
            raise DataError(f"draws must be a whole number from 1, got {self.draws!r}; pass for example 8")

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The mean of |λ| over draws of labels."""
        grades, chances = grade_chances(pool)
        rows = np.concatenate([pool.labelled, pool.candidates])
        scores = np.concatenate([pool.known_scores, pool.scores])
        scores = scores / deviation_of(scores)  # λ's see differences of scores, and rankers have scales of their own
        queries = pool.data.groups.query_of_row()[rows]
        up_to = np.cumsum(chances, axis=1)
        found = np.zeros(pool.candidates.size)
        for _ in range(self.draws):
            drawn = (pool.drawn(rng)[pool.candidates, None] > up_to[:, :-1]).sum(axis=1)
            labels = np.concatenate([pool.y[pool.labelled], grades[drawn]])
            objective = LambdaObjective(self.metric, labels, queries, tie_keys=pool.drawn(rng)[rows])
            gradient, _ = objective.gradients(scores)
            found += np.abs(gradient[pool.labelled.size :])
        return found / self.draws
