"""One class against the rest: a plain model, a tuned one, and the choice between them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rankwise.metrics import FBeta
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._soft_counts import SoftCounts, operating_threshold
from rankwise.rankers.rates._calibration import Calibration, Method, calibrated
from rankwise.rankers.rates._rows import Rows, Split, folds
from rankwise.rankers.rates._selection import choose
from rankwise.rankers.rates.families._base import Family, Scorer, unit_of
from rankwise.types import FloatArray

NARROW = 0.5  # the width, in units, at which multipliers are told


@dataclass(frozen=True, eq=False)
class BinaryModel:
    """A model of one class, where its operating point lies, and how it was chosen."""

    scorer: Scorer
    threshold: float
    multipliers: FloatArray
    calibration: Calibration
    history: dict[str, Any]

    def decisions(self, X: Any) -> FloatArray:
        """Scores less the threshold."""
        return self.scorer.scores(X) - self.threshold


def threshold_metric(objective: RateObjective) -> CurveMetric:
    """The first operating point of the objective; for areas, which have none, F1."""
    points = [term.metric for term in objective.terms if isinstance(term.metric, CurveMetric)]
    return points[0] if points else FBeta(1.0)


def fit_binary(
    family: Family, objective: RateObjective, rows: Rows, judged: Rows | None, parts: int, method: Method, seed: int
) -> BinaryModel:
    """Train both, let rows that they have not seen choose, and place the threshold by the same rows.

    Those are `judged`, or each row by models of the other folds; then what was chosen is trained on all rows.
    """
    if judged is None:
        data, splits = rows, folds(rows.positive, parts, seed)
    else:
        data = joined(rows, judged)
        first = np.arange(rows.positive.size)
        splits = [(first, np.arange(first.size, data.positive.size))]
    plain = family.plain(data, splits, refit=judged is None)
    return fit_from_plain(family, objective, data, splits, plain, method, seed)


def fit_from_plain(
    family: Family,
    objective: RateObjective,
    data: Rows,
    splits: list[Split],
    plain: list[Scorer],
    method: Method,
    seed: int,
) -> BinaryModel:
    """The same from the plain models of the splits, with one more of all rows if there is no `eval_set`."""
    if not splits:
        return _placed(plain[-1], objective, data, plain[-1].scores(data.X), method, {"chosen": "plain"})
    tuned = [
        _tuned(family, objective, model, data.part(train)) for model, (train, _) in zip(plain, splits, strict=False)
    ]
    unseen = data.part(np.concatenate([which for _, which in splits]))
    by_plain, by_tuned = (
        np.concatenate([model.scores(data.X[which]) for model, (_, which) in zip(models, splits, strict=False)])
        for models in (plain, tuned)
    )
    choice = choose(objective, by_plain, by_tuned, unseen.positive, unseen.weight, seed)
    history: dict[str, Any] = asdict(choice) | {"chosen": "tuned" if choice.keeps_tuned else "plain"}
    if not choice.keeps_tuned:
        return _placed(plain[-1], objective, unseen, by_plain, method, history)
    final = tuned[-1] if len(plain) == len(splits) else _tuned(family, objective, plain[-1], data)
    return _placed(final, objective, unseen, by_tuned, method, history)


def joined(a: Rows, b: Rows) -> Rows:
    """The rows of both."""
    stacked: Any = sp.vstack
    X = stacked([a.X, b.X], format="csr") if sp.issparse(a.X) else np.concatenate([a.X, b.X])
    return Rows(X, np.append(a.positive, b.positive), np.append(a.weight, b.weight))


def _tuned(family: Family, objective: RateObjective, start: Scorer, rows: Rows) -> Scorer:
    return family.tuned(start, rows, SoftCounts(objective, rows.positive, rows.weight))


def _placed(
    scorer: Scorer, objective: RateObjective, rows: Rows, scores: FloatArray, method: Method, history: dict[str, Any]
) -> BinaryModel:
    threshold = operating_threshold(threshold_metric(objective), scores, rows.positive, rows.weight)
    points = SoftCounts(objective, rows.positive, rows.weight).points(scores, NARROW * unit_of(scores, rows.positive))
    found = calibrated(method, scores - threshold, rows.positive, rows.weight)
    return BinaryModel(scorer, threshold, points.multipliers, found, history)
