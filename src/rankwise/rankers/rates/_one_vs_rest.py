"""One class against the rest: a baseline, a tuned model, and the choice between them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from scipy.stats import rankdata

from rankwise.metrics import FBeta
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.objectives.rates._soft_counts import SoftCounts, is_reached, operating_threshold
from rankwise.rankers.rates._calibration import Calibration, CalibrationMethod, calibrate
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import RowMatrix, Rows, Split, concatenate, folds
from rankwise.rankers.rates._selection import Choice, choose
from rankwise.rankers.rates.families._base import Family, Scorer, score_unit
from rankwise.types import FloatArray, JsonObject

MULTIPLIER_WIDTH = 0.5  # of the sigmoids, in units of the scores, at which multipliers are reported
# Why a model is the one that it is.
BETTER = "the model trained for the point was better on rows not trained on"
NOT_BETTER = "the model trained for the point was no better on rows not trained on"
NO_RESPONSE = "training for the point made no difference to the point on the rows trained on"
TOO_FEW = "there are too few rows of a class to hold some back and choose by them"
INTERRUPTED = "training was interrupted before there was another"


NEVER = -float(np.finfo(np.float64).tiny)  # the highest decision where no threshold was reached
NEVER_RANGES = 10.0  # by how many times the range of scores the threshold is above them then, so that ranks stay


@dataclass(frozen=True)
class SetThreshold:
    """A decision from which on it is to be a yes, and what was certified of it, if anything."""

    at: float
    objective: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, eq=False)
class BinaryModel:
    """A model of one class, where its operating point lies, and how it was chosen."""

    scorer: Scorer
    threshold: float
    reached: bool  # whether that is a threshold for the point; if not, it is one above all scores
    multipliers: FloatArray
    calibration: Calibration
    history: JsonObject
    set_to: SetThreshold | None = None

    @property
    def yes_from(self) -> float:
        """The decision from which on it is a yes."""
        return 0.0 if self.set_to is None else self.set_to.at

    @property
    def is_tuned(self) -> bool:
        """Whether it was trained for the point; else by cross entropy, and its threshold is for the point."""
        return bool(self.history["chosen"] == "tuned")

    def decisions(self, X: RowMatrix) -> FloatArray:
        """Scores less the threshold; below 0 for every row where the point was not reached."""
        decisions = self.scorer.scores(X) - self.threshold
        return decisions if self.reached else np.minimum(decisions, NEVER)


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
    report: Report,
) -> BinaryModel:
    """Train both, let rows that they were not trained on choose, and place the threshold by the same rows.

    Those are `eval_rows`, or each row by models of the other folds; then what was chosen is trained on all rows.
    """
    if eval_rows is None:
        splits = folds(rows.positive, n_folds, seed)
    else:
        n_train, rows = rows.positive.size, concatenate(rows, eval_rows)
        splits = [(np.arange(n_train), np.arange(n_train, rows.positive.size))]
    baselines = family.fit_baselines(rows, splits, refit=eval_rows is None, report=report)
    return fit_from_baselines(family, objective, rows, splits, baselines, method, seed, report)


def fit_from_baselines(
    family: Family,
    objective: RateObjective,
    rows: Rows,
    splits: list[Split],
    baselines: list[Scorer],
    method: CalibrationMethod,
    seed: int,
    report: Report | None = None,
) -> BinaryModel:
    """The same from the baselines of the splits, with one more of all rows if there is no `eval_set`."""
    report = report or Report()
    if not baselines:
        raise KeyboardInterrupt  # before there was anything to keep
    if not splits:
        scores = baselines[-1].scores(rows.X)
        return _plain(baselines[-1], objective, rows, scores, method, TOO_FEW)
    if report.interrupted:
        baselines, splits = baselines[:1], splits[:1]
    held_out = rows.take(np.concatenate([others for _, others in splits]))
    by_baseline = [model.scores(rows.X[others]) for model, (_, others) in zip(baselines, splits, strict=False)]
    stay_plain = partial(_plain, baselines[-1], objective, held_out, np.concatenate(by_baseline), method)
    if report.interrupted or family.why_plain is not None:
        return stay_plain(family.why_plain or INTERRUPTED)

    def tune(baseline: Scorer, train: Rows) -> Scorer | None:
        return family.tune(baseline, train, SoftCounts(objective, train.positive, train.weight), report)

    by_tuned: list[FloatArray] = []
    for baseline, (train, others) in zip(baselines, splits, strict=False):
        tuned = tune(baseline, rows.take(train))
        if tuned is None or report.interrupted:
            return stay_plain(INTERRUPTED if report.interrupted else NO_RESPONSE)
        by_tuned.append(tuned.scores(rows.X[others]))
        if len(by_tuned) in (1, len(splits)):
            both = _ranks(by_baseline[: len(by_tuned)]), _ranks(by_tuned)
            compared = slice(both[0].size)
            choice = choose(objective, *both, held_out.positive[compared], held_out.weight[compared], seed)
            if choice.is_hopeless:
                break  # the other folds would be trained in vain
    if not choice.prefers_tuned:
        return stay_plain(NOT_BETTER, choice)
    final = tuned if len(baselines) == len(splits) else tune(baselines[-1], rows)
    if final is None or report.interrupted:
        return stay_plain(INTERRUPTED if report.interrupted else NO_RESPONSE, choice)
    history = asdict(choice) | {"chosen": "tuned", "reason": BETTER}
    return _at_operating_point(final, objective, held_out, np.concatenate(by_tuned), method, history)


def _ranks(scores: list[FloatArray]) -> FloatArray:
    """Shares of the rows of its fold that a row is above: models of different folds have scores of different scale."""
    return scores[0] if len(scores) == 1 else np.concatenate([rankdata(part) / part.size for part in scores])


def _plain(
    baseline: Scorer,
    objective: RateObjective,
    rows: Rows,
    scores: FloatArray,
    method: CalibrationMethod,
    reason: str,
    choice: Choice | None = None,
) -> BinaryModel:
    """The baseline with its own threshold for the point."""
    found = {"baseline": SoftCounts(objective, rows.positive, rows.weight).value(scores)}
    history = (found if choice is None else asdict(choice)) | {"chosen": "baseline", "reason": reason}
    return _at_operating_point(baseline, objective, rows, scores, method, history)


def _at_operating_point(
    scorer: Scorer,
    objective: RateObjective,
    rows: Rows,
    scores: FloatArray,
    method: CalibrationMethod,
    history: JsonObject,
) -> BinaryModel:
    """A model with threshold, multipliers and probabilities by its scores of rows that it was not trained on."""
    point = threshold_metric(objective)
    # Scores of rows trained on are too good to say that a rate is kept.
    is_honest = history["reason"] != TOO_FEW or point.demand() is None
    reached = is_honest and is_reached(point, scores, rows.positive, rows.weight)
    threshold = operating_threshold(point, scores, rows.positive, rows.weight)
    if not reached:
        threshold = float(scores.max() + max(NEVER_RANGES * np.ptp(scores), 1.0))
    soft = SoftCounts(objective, rows.positive, rows.weight)
    points = soft.points(scores, MULTIPLIER_WIDTH * score_unit(scores, rows.positive))
    calibration = calibrate(method, scores - threshold, rows.positive, rows.weight)
    return BinaryModel(scorer.finished(), threshold, reached, points.multipliers, calibration, history)
