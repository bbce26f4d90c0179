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
from scipy import optimize, special

from rankwise._validation import as_vector
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._base import Metric
from rankwise.metrics._names import parse
from rankwise.metrics.catalogue._rates import Demand
from rankwise.metrics.certification._certificate import Certificate
from rankwise.metrics.certification._operating_point import ThresholdCounts, counts_at, demand_of
from rankwise.types import BoolArray, FloatArray, IntArray

GUIDE_SHARE = 0.2
"""Of the rows, those that choose the thresholds for a precision: see benchmarks/certify.py."""

MAX_LOG_ROWS = math.log(1e12)
"""Logarithm of a number of rows that is as good as infinite."""


def certify(
    y: ArrayLike | RankingData,
    scores: ArrayLike,
    objective: str | Metric,
    *,
    confidence: float = 0.95,
    thresholds: ArrayLike | None = None,
) -> Certificate:
    """Find a threshold on the scores for which a rate holds in the population, with a confidence.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or RankingData
        Labels; above 0 is positive. The rows must be independent draws from where the threshold will be used, and none
        of them may have trained or chosen the model. Queries and weights play no part: with weights the binomial law
        would not hold.
    scores : array-like of shape (n_rows,)
        Scores of the rows, in the same order.
    objective : str or Metric
        The rate to hold and the one to maximize: `r@p=α`, `p@r=β` or `tpr@fpr=φ`.
    confidence : float, default=0.95
        At most 1 − confidence is the chance that a sample leads to a threshold for which the rate does not hold.
    thresholds : array-like, optional
        Candidates chosen without these rows, such as `thresholds_to_try` of validation data; then all rows test. They
        are tried from the safe end (for recall the lowest, else the highest) until one fails.

    Returns
    -------
    Certificate
        The threshold with the best rate to maximize, or how many rows would be needed.

    Raises
    ------
    DataError
        If the rows lack positives or negatives, or the confidence is not between 0 and 1.
    MetricError
        If the metric demands no rate.

    Notes
    -----
    Learn then test: thresholds are tested in a fixed order by exact binomial tails, each at the full level, until the
    first fails. For a precision, a fifth of the rows, drawn at random, chooses the order. That draw is fixed, as trying
    several would void the guarantee; the order of the rows plays no part.

    References
    ----------
    Angelopoulos, Bates, Candès, Jordan & Lei (2021). Learn then test: calibrating predictive algorithms to achieve risk
    control.

    Clopper & Pearson (1934). The use of confidence or fiducial limits illustrated in the case of the binomial.
    Biometrika 26.

    Examples
    --------
    >>> y, scores = [1] * 95 + [0] * 105, [*range(200, 105, -1), 150, *range(104, 0, -1)]
    >>> certificate = certify(y, scores, "tpr@fpr=0.1")
    >>> certificate.threshold, certificate.tp, certificate.fp, round(certificate.bound, 3)
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
    failed = np.flatnonzero(binomial_tail(*counts.trials(demand.rate), demand.level) > 1.0 - confidence)
    passed = int(failed[0]) if failed.size else order.size
    certificate = Certificate(
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
        return _certified(certificate, demand, float(order[best]), counts, best)
    # A larger sample would begin where all rows together say, not where a fifth of these did.
    first = order if thresholds is not None else _order(positive, values, demand)
    return _with_needs(certificate, demand, counts_at(first[:1], positive, values), float(np.mean(tested)))


def thresholds_to_try(y: ArrayLike | RankingData, scores: ArrayLike, objective: str | Metric) -> FloatArray:
    """Choose candidates for `certify` on other data than will be certified on.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or RankingData
        Labels; above 0 is positive.
    scores : array-like of shape (n_rows,)
        Scores of the rows, in the same order.
    objective : str or Metric
        The rate to hold and the one to maximize: `r@p=α`, `p@r=β` or `tpr@fpr=φ`.

    Returns
    -------
    ndarray
        Thresholds, safest first: for a precision, from where it is likely to be provable on down; for recall and FPR,
        all scores.

    Examples
    --------
    >>> thresholds_to_try([1, 1, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], "r@p=0.5")
    array([4., 3., 2., 1.])
    """
    return _order(*_checked(y, scores, parse(objective)), demand_of(objective))


def _checked(y: ArrayLike | RankingData, scores: ArrayLike, metric: Metric) -> tuple[BoolArray, FloatArray]:
    """Which rows are positive, and their scores."""
    labels, values = as_vector("labels", y.y if isinstance(y, RankingData) else y), as_vector("scores", scores)
    positive = labels > 0
    if values.size != positive.size:
        raise ShapeError(f"y and scores must have one entry per row, got {positive.size} and {values.size}")
    if not positive.any() or (positive.all() and "irrelevant" in metric.needs):
        got = "irrelevant" if positive.any() else "relevant"
        raise DataError(f"{metric} needs {metric.needs}, got {values.size} rows without any {got} one; pass more rows")
    return positive, values


def _guide(positive: BoolArray, scores: FloatArray) -> IntArray:
    """Rows drawn at random to choose the thresholds. They are sorted first, so that their order plays no part."""
    sample = np.random.default_rng(0).permutation(scores.size)[: math.ceil(GUIDE_SHARE * scores.size)]
    return np.lexsort((positive, scores))[sample]


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


def _certified(
    certificate: Certificate, demand: Demand, threshold: float, counts: ThresholdCounts, at: int
) -> Certificate:
    tp, fp = int(counts.tp[at]), int(counts.fp[at])
    hits, trials = (int(count[at]) for count in counts.trials(demand.rate))
    bound = lower_bound(hits, trials, certificate.confidence)
    gained, possible = (int(count[at]) for count in counts.trials(demand.gain))
    return replace(
        certificate,
        threshold=threshold,
        bound=1.0 - bound if demand.rate == "fpr" else bound,
        tp=tp,
        fp=fp,
        fn=counts.positives - tp,
        tn=counts.negatives - fp,
        precision=tp / (tp + fp) if tp + fp else None,
        recall=tp / counts.positives,
        fpr=fp / counts.negatives if counts.negatives else None,
        expected=gained / possible,
        interval=share_interval(gained, possible, certificate.confidence),
    )


def _with_needs(certificate: Certificate, demand: Demand, counts: ThresholdCounts, tested: float) -> Certificate:
    """How many rows would have sufficed, of which this share tests, had the rates been those counted."""
    hits, trials = (int(count[0]) for count in counts.trials(demand.rate))
    share = hits / max(trials, 1)

    def missing(log_trials: float) -> float:
        n = tested * math.exp(log_trials)
        return float(binomial_tail(share * n, n, demand.level)) - (1.0 - certificate.confidence)

    if share <= demand.level or missing(MAX_LOG_ROWS) > 0:
        return certificate
    # At least one more than there are, for these did not suffice.
    needed = max(math.ceil(math.exp(optimize.brentq(missing, -MAX_LOG_ROWS, MAX_LOG_ROWS)) - 1e-6), trials + 1)
    scaled = [-(-needed * count // trials) for count in (certificate.rows, certificate.positives)]
    return replace(certificate, rows_needed=scaled[0], positives_needed=scaled[1])


def binomial_tail(hits: ArrayLike, trials: ArrayLike, share: float) -> FloatArray:
    """P(Binomial(trials, share) ≥ hits): the p-value of "the chance is below `share`" where hits were observed.

    Counts need not be whole, for the number of rows that would suffice is sought among real numbers.

    >>> binomial_tail([3, 2, 0], [3, 3, 0], 0.5)
    array([0.125, 0.5  , 1.   ])
    """
    k, n = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    return np.where(k > 0, special.betainc(np.maximum(k, 1e-300), n - k + 1, share), 1.0)


def lower_bound(hits: int, trials: int, confidence: float) -> float:
    """The chance is at least this, with the confidence (Clopper & Pearson 1934, one-sided).

    >>> round(lower_bound(59, 59, 0.95), 4)  # the rule of three: 59 hits without a miss prove 0.95
    0.9505
    """
    return float(special.betaincinv(hits, trials - hits + 1, 1 - confidence)) if hits else 0.0


def share_interval(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """The two-sided interval of Clopper & Pearson.

    >>> low, high = share_interval(8, 10, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.444, 0.975)
    """
    one_sided = (1 + confidence) / 2
    return lower_bound(hits, trials, one_sided), 1.0 - lower_bound(trials - hits, trials, one_sided)
