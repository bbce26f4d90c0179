"""One class against the rest: a baseline, a tuned model, and the choice between them."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from rankwise.metrics import FBeta
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._soft_counts import SoftCounts, operating_threshold
from rankwise.rankers.rates._calibration import Calibration, CalibrationMethod, calibrate
from rankwise.rankers.rates._rows import RowMatrix, Rows, Split, concatenate, folds
from rankwise.rankers.rates._selection import choose
from rankwise.rankers.rates.families._base import Family, Scorer, score_unit
from rankwise.types import FloatArray, JsonObject

MULTIPLIER_WIDTH = 0.5  # of the sigmoids, in units of the scores, at which multipliers are reported


@dataclass(frozen=True, eq=False)
class BinaryModel:
    """A model of one class, where its operating point lies, and how it was chosen."""

    scorer: Scorer
    threshold: float
    multipliers: FloatArray
    calibration: Calibration
    history: JsonObject

    def decisions(self, X: RowMatrix) -> FloatArray:
        """Scores less the threshold."""
        return self.scorer.scores(X) - self.threshold


def threshold_metric(objective: RateObjective) -> CurveMetric:
    """The first operating point of the objective; for areas, which have none, F1."""
    points = [term.metric for term in objective.terms if isinstance(term.metric, CurveMetric)]
    return points[0] if points else FBeta(1.0)


def fit_binary(
    family: Family,
    objective: RateObjective,
    rows: Rows,
    eval_rows: Rows | None,
    n_folds: int,
    method: CalibrationMethod,
    seed: int,
) -> BinaryModel:
    """Train both, let rows that they were not trained on choose, and place the threshold by the same rows.

    Those are `eval_rows`, or each row by models of the other folds; then what was chosen is trained on all rows.
    """
    if eval_rows is None:
        splits = folds(rows.positive, n_folds, seed)
    else:
        n_train, rows = rows.positive.size, concatenate(rows, eval_rows)
        splits = [(np.arange(n_train), np.arange(n_train, rows.positive.size))]
    baselines = family.fit_baselines(rows, splits, refit=eval_rows is None)
    return fit_from_baselines(family, objective, rows, splits, baselines, method, seed)


def fit_from_baselines(
    family: Family,
    objective: RateObjective,
    rows: Rows,
    splits: list[Split],
    baselines: list[Scorer],
    method: CalibrationMethod,
    seed: int,
) -> BinaryModel:
    """The same from the baselines of the splits, with one more of all rows if there is no `eval_set`."""
    if not splits:
        scores = baselines[-1].scores(rows.X)
        return _at_operating_point(baselines[-1], objective, rows, scores, method, {"chosen": "baseline"})

    def tune(baseline: Scorer, train: Rows) -> Scorer:
        return family.tune(baseline, train, SoftCounts(objective, train.positive, train.weight))

    tuned = [tune(model, rows.take(train)) for model, (train, _) in zip(baselines, splits, strict=False)]
    eval_rows = rows.take(np.concatenate([others for _, others in splits]))
    by_baseline, by_tuned = (
        np.concatenate([model.scores(rows.X[others]) for model, (_, others) in zip(models, splits, strict=False)])
        for models in (baselines, tuned)
    )
    choice = choose(objective, by_baseline, by_tuned, eval_rows.positive, eval_rows.weight, seed)
    history = asdict(choice) | {"chosen": "tuned" if choice.prefers_tuned else "baseline"}
    if not choice.prefers_tuned:
        return _at_operating_point(baselines[-1], objective, eval_rows, by_baseline, method, history)
    final = tuned[-1] if len(baselines) == len(splits) else tune(baselines[-1], rows)
    return _at_operating_point(final, objective, eval_rows, by_tuned, method, history)


def _at_operating_point(
    scorer: Scorer,
    objective: RateObjective,
    rows: Rows,
    scores: FloatArray,
    method: CalibrationMethod,
    history: JsonObject,
) -> BinaryModel:
    """A model with threshold, multipliers and probabilities by its scores of rows that it was not trained on."""
    threshold = operating_threshold(threshold_metric(objective), scores, rows.positive, rows.weight)
    soft = SoftCounts(objective, rows.positive, rows.weight)
    points = soft.points(scores, MULTIPLIER_WIDTH * score_unit(scores, rows.positive))
    calibration = calibrate(method, scores - threshold, rows.positive, rows.weight)
    return BinaryModel(scorer, threshold, points.multipliers, calibration, history)
