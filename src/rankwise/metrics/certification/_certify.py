"""Find a threshold that keeps a promise, by learn-then-test (Angelopoulos, Bates, Candès, Jordan & Lei 2021).

At a threshold t that was fixed before these labels were seen, the true positives are Binomial(n, precision(t)) given
the number n of rows at or above t, and likewise for the recall given the number of positives and for the FPR given that
of negatives. So the binomial tail is an exact p-value of "t breaks the promise". Thresholds are tried in a fixed order
at the full level α = 1 − confidence until the first fails. A wrong one can only be certified if the first wrong
one in the order is, which has a chance of at most α, however many are tried.

**Recall and FPR** are monotone in t, and the order is that of the scores from the safe end. Thresholds may then be the
scores of the very rows tested: the counts are monotone too, so that certifying any wrong threshold implies that the
safest wrong one, which does not depend on the sample, has a tail of at most α.

**Precision** is not monotone, and the safest thresholds have too few rows to prove anything. A fifth of the rows,
drawn at random, is the guide: it says where the tail is likely to be smallest, and from there its scores go down.
The other rows test; given the guide, thresholds and order are fixed. Ranks of the tested rows would not do:
given where those above it lie, the rows above a threshold are no longer a simple sample.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from rankwise._validation import as_vector
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._base import Metric
from rankwise.metrics._names import parse
from rankwise.metrics.catalogue._rates import Demand
from rankwise.metrics.certification._binomial import lower_bound, share_interval, tail
from rankwise.metrics.certification._certificate import Certificate
from rankwise.metrics.certification._operating_point import Counts, counts_at, demand_of
from rankwise.types import BoolArray, FloatArray, IntArray

GUIDE = 0.2
"""Share of the rows that choose the thresholds for a precision: see benchmarks/certify.py."""

MOST = math.log(1e12)
"""More rows than this (its logarithm) are as good as infinitely many."""


def certify(
    y: ArrayLike,
    scores: ArrayLike,
    objective: str | Metric,
    *,
    confidence: float = 0.95,
    thresholds: ArrayLike | None = None,
) -> Certificate:
    """A threshold on the scores for which the target of `r@p=α`, `p@r=β` or `tpr@fpr=φ` holds with this confidence.

    The rows must be independent draws from where the threshold will be used, and none of them may have trained or
    chosen the model; a label above 0 is positive. Rows count alike: with weights the binomial law would not hold.
    The draw of the guide is fixed, as trying several would void the guarantee; the order of the rows plays no part.

    `thresholds` are candidates chosen without these rows, such as `thresholds_to_try` of validation data; then all
    rows test. They are tried from the safe end (for recall the lowest, else the highest) until one fails.

    >>> y, scores = [1] * 95 + [0] * 105, [*range(200, 105, -1), 150, *range(104, 0, -1)]
    >>> found = certify(y, scores, "tpr@fpr=0.1")
    >>> found.threshold, found.tp, found.fp, round(found.bound, 3)
    (106.0, 95, 1, 0.044)
    >>> print(certify(y[90:100], scores[90:100], "p@r=0.9"))
    No threshold can be certified to have a recall of at least 0.9 with confidence 0.95. At the observed rates 29
    positives in 58 rows would suffice; there are 5 in 10.
    """
    if not 0 < confidence < 1:
        raise DataError(f"confidence must lie between 0 and 1, got {confidence!r}; pass 0.95 for 95%")
    demand, (positive, values) = demand_of(objective), _checked(y, scores, parse(objective))
    tested = np.ones(values.size, dtype=bool)
    if thresholds is not None:
        order = _safest_first(as_vector("thresholds", thresholds), demand)
    elif demand.rate == "precision":
        tested[_guide(positive, values)] = False
        order = _order(positive[~tested], values[~tested], demand)
    else:
        order = _order(positive, values, demand)
    counts = counts_at(order, positive[tested], values[tested])
    failed = np.flatnonzero(tail(*counts.trials(demand.rate), demand.level) > 1.0 - confidence)
    passed = int(failed[0]) if failed.size else order.size
    found = Certificate(
        objective=str(parse(objective)),
        confidence=confidence,
        target=demand.target,
        rows=values.size,
        positives=int(np.count_nonzero(positive)),
        guide_rows=int(np.count_nonzero(~tested)),
        thresholds_tried=min(passed + 1, order.size),
    )
    if passed:
        best = int(np.argmax(counts.share(demand.gain)[:passed]))
        return _certified(found, demand, float(order[best]), counts, best)
    # A larger sample would begin where all rows together say, not where a fifth of these did.
    first = order if thresholds is not None else _order(positive, values, demand)
    return _with_needs(found, demand, counts_at(first[:1], positive, values), float(np.mean(tested)))


def thresholds_to_try(y: ArrayLike, scores: ArrayLike, objective: str | Metric) -> FloatArray:
    """Candidates for `certify`, safest first, chosen on other data than will be certified on.

    For a precision, from where it is likely to be provable on down; for recall and FPR, all scores.

    >>> thresholds_to_try([1, 1, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], "r@p=0.5")
    array([4., 3., 2., 1.])
    """
    return _order(*_checked(y, scores, parse(objective)), demand_of(objective))


def _checked(y: ArrayLike, scores: ArrayLike, metric: Metric) -> tuple[BoolArray, FloatArray]:
    positive, values = as_vector("labels", y) > 0, as_vector("scores", scores)
    if values.size != positive.size:
        raise ShapeError(f"y and scores must have one entry per row, got {positive.size} and {values.size}")
    if not positive.any() or (positive.all() and "irrelevant" in metric.needs):
        got = "irrelevant" if positive.any() else "relevant"
        raise DataError(f"{metric} needs {metric.needs}, got {values.size} rows without any {got} one; pass more rows")
    return positive, values


def _guide(positive: BoolArray, scores: FloatArray) -> IntArray:
    """Rows drawn at random to choose the thresholds. They are sorted first, so that their order plays no part."""
    drawn = np.random.default_rng(0).permutation(scores.size)[: math.ceil(GUIDE * scores.size)]
    return np.lexsort((positive, scores))[drawn]


def _order(positive: BoolArray, scores: FloatArray, demand: Demand) -> FloatArray:
    order = _safest_first(scores, demand)
    if demand.rate != "precision":
        return order
    hits, trials = counts_at(order, positive, scores).trials("precision")
    # Grows with the distance from the target in standard errors; four more rows at the target tame the first few.
    evidence = (hits - demand.level * trials) / (trials + 4) * np.sqrt(trials)
    # The very best is often the last one before the precision falls: somewhat safer is likelier to pass.
    enough = evidence.max() - 0.1 * abs(evidence.max())
    return order[np.argmax(evidence >= enough) :]


def _safest_first(thresholds: FloatArray, demand: Demand) -> FloatArray:
    rising = np.unique(thresholds)
    return rising if demand.rate == "recall" else rising[::-1]


def _certified(found: Certificate, demand: Demand, threshold: float, counts: Counts, at: int) -> Certificate:
    tp, fp = int(counts.tp[at]), int(counts.fp[at])
    hits, trials = (int(part[at]) for part in counts.trials(demand.rate))
    bound = lower_bound(hits, trials, found.confidence)
    gained, of = (int(part[at]) for part in counts.trials(demand.gain))
    return replace(
        found,
        threshold=threshold,
        bound=1.0 - bound if demand.rate == "fpr" else bound,
        tp=tp,
        fp=fp,
        fn=counts.positives - tp,
        tn=counts.negatives - fp,
        precision=tp / (tp + fp),
        recall=tp / counts.positives,
        fpr=fp / counts.negatives if counts.negatives else None,
        expected=gained / of,
        interval=share_interval(gained, of, found.confidence),
    )


def _with_needs(found: Certificate, demand: Demand, counts: Counts, tested: float) -> Certificate:
    """How many rows would have sufficed, of which this share tests, had the rates been those counted."""
    hits, trials = (int(part[0]) for part in counts.trials(demand.rate))
    share = hits / max(trials, 1)

    def missing(log_trials: float) -> float:
        n = tested * math.exp(log_trials)
        return float(tail(share * n, n, demand.level)) - (1.0 - found.confidence)

    if share <= demand.level or missing(MOST) > 0:
        return found
    # At least one more than there are, for these did not suffice.
    needed = max(math.ceil(math.exp(optimize.brentq(missing, -MOST, MOST)) - 1e-6), trials + 1)
    scaled = [-(-needed * part // trials) for part in (found.rows, found.positives)]
    return replace(found, rows_needed=scaled[0], positives_needed=scaled[1])
