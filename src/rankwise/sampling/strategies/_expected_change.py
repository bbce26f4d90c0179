"""ExpectedChange (ours): label the documents whose labels are expected to move a metric most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression

from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.objectives.lambdas._objective import LambdaObjective
from rankwise.sampling._base import Sampler, check_count
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray


@dataclass(frozen=True)
class ExpectedChange(Sampler):
    """Documents that a metric would push furthest, up or down, if their labels were known.

    Labels of all candidates are sampled by how likely each grade is at their scores; then |λ| of a document is how much
    the metric asks it to move: the sum over its pairs, those that push it up less those that push it down, of |ΔM|, the
    change of the metric if the two exchange their places, times the chance that they are in the wrong order. The
    utility is the mean over `n_draws` samples. Any metric that rankers can be trained on will do, and any grades.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        The metric that labels should change.
    n_draws : int, default=8
        How often labels are sampled.
    min_distance : float, default=0.0
        If above 0, near-duplicates within this distance are passed over (see `Sampler`).
    """

    metric: str | Metric = "ndcg@10"
    n_draws: int = 8

    kind: ClassVar[str] = "change"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.metric, str | Metric):
            raise DataError(f"metric must be the name of a metric, got {self.metric!r}; pass for example 'ndcg@10'")
        object.__setattr__(self, "metric", str(parse(self.metric)))
        check_count("n_draws", self.n_draws, 1, example=8)

    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """The mean of |λ| over samples of labels."""
        grades, chances = grade_chances(pool)
        rows = np.concatenate([pool.labelled, pool.candidates])
        scores = np.concatenate([pool.labelled_scores, pool.scores])
        scores = scores / deviation_of(scores)  # λ's see differences of scores, and rankers have scales of their own
        queries = pool.data.groups.query_of_row()[rows]
        thresholds = np.cumsum(chances, axis=1)[:, :-1]
        total = np.zeros(pool.candidates.size)
        for _ in range(self.n_draws):
            grade = (pool.random_numbers(rng)[pool.candidates, None] > thresholds).sum(axis=1)
            labels = np.concatenate([pool.y[pool.labelled], grades[grade]])
            objective = LambdaObjective(self.metric, labels, queries, tie_keys=pool.random_numbers(rng)[rows])
            gradient, _ = objective.gradients(scores)
            total += np.abs(gradient[pool.labelled.size :])
        return total / self.n_draws


def grade_chances(pool: Pool) -> tuple[FloatArray, FloatArray]:
    """The grades of the labels so far, and for each candidate the chance of each of them.

    P(grade >= g) is a logistic function of the score, fitted to the labels so far, for each g; scores are standardized
    first, since rankers have scales of their own. Without labels all grades are taken to be 0.
    """
    labels = pool.y[pool.labelled]
    grades = np.unique(labels) if labels.size else np.zeros(1)
    if grades.size == 1:
        return grades, np.ones((pool.candidates.size, 1))
    middle, deviation = pool.labelled_scores.mean(), deviation_of(pool.labelled_scores)
    labelled, candidates = ((scores[:, None] - middle) / deviation for scores in (pool.labelled_scores, pool.scores))
    at_least = np.ones((pool.candidates.size, grades.size + 1))
    at_least[:, -1] = 0
    for column, grade in enumerate(grades[1:], start=1):
        model = LogisticRegression().fit(labelled, labels >= grade)
        if pool.candidates.size:
            at_least[:, column] = model.predict_proba(candidates)[:, 1]
    # Separate fits may cross: a chance of 2 or more is none above that of 1 or more.
    return grades, -np.diff(np.minimum.accumulate(at_least, axis=1), axis=1)


def deviation_of(scores: FloatArray) -> float:
    """The standard deviation of scores, 1 where they are all equal (their deviation is then a rounding error)."""
    return float(scores.std()) if np.ptp(scores) > 0 else 1.0
