"""What must hold for every metric."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from rankwise.errors import MetricError
from rankwise.kernels.sorting._ranks import run_starts
from rankwise.metrics import Metric, evaluate, parse
from rankwise.types import FloatArray, IntArray

VALUE_TOLERANCE = 1e-9


def _lists(seed: int, longest: int, count: int) -> Iterator[FloatArray]:
    """Random lists of labels: graded and binary, long and short, with all and none relevant."""
    rng = np.random.default_rng(seed)
    yield from (np.array(labels, dtype=float) for labels in ([0], [2], [0, 0], [1, 1], [0, 1], [2, 1]))
    for _ in range(count):
        yield rng.integers(0, rng.integers(2, 5), size=rng.integers(2, longest + 1)).astype(float)


def _same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= VALUE_TOLERANCE * max(1.0, abs(a), abs(b))


def check_text(metric: Metric) -> None:
    """The text form parses back to an equal metric, with an equal hash."""
    try:
        parsed = parse(str(metric))
    except MetricError as problem:
        raise AssertionError(f"{metric!r} is spelled {str(metric)!r}, which does not parse: {problem}") from None
    same = parsed == metric and hash(parsed) == hash(metric)
    assert same, f"{metric!r} is spelled {metric}, which reads as {parsed!r}"


def check_range(metric: Metric) -> None:
    """Values lie between 0 and `upper`; where there is no value for one order there is none for any."""
    for labels in _lists(0, 5, 30):
        fitted = metric.for_labels(labels)
        values = [fitted.value(list(order)) for order in itertools.permutations(labels)]
        undefined = {math.isnan(value) for value in values}
        assert len(undefined) == 1, f"{metric} of {labels} is NaN for some orders only"
        if undefined == {False}:
            inside = min(values) >= -VALUE_TOLERANCE and max(values) <= fitted.upper + VALUE_TOLERANCE
            assert inside, f"{metric} of {labels} leaves [0, {fitted.upper}]: {min(values)} to {max(values)}"


def check_best_order(metric: Metric) -> None:
    """No order beats `best_order`."""
    for labels in _lists(1, 5, 30):
        fitted = metric.for_labels(labels)
        best = fitted.value(fitted.best_order(labels))
        for order in itertools.permutations(labels):
            value = fitted.value(list(order))
            assert not value > best + VALUE_TOLERANCE, f"{metric} of {order} is {value}, above its best order's {best}"


def _swapped(labels: FloatArray, i: int, j: int) -> FloatArray:
    """The labels with ranks i and j exchanged."""
    exchanged = labels.copy()
    exchanged[[i, j]] = labels[[j, i]]
    return exchanged


def check_swaps(metric: Metric) -> None:
    """`swap_delta` is the change of `value`, for all pairs, whichever of the two is named first."""
    for labels in _lists(2, 9, 40):
        fitted = metric.for_labels(labels)
        if math.isnan(fitted.value(labels)):
            continue
        ranks = range(len(labels))
        i, j = np.meshgrid(ranks, ranks, indexing="ij")
        delta = fitted.swap_delta(labels, i, j)
        value = fitted.value(labels)
        expected = np.array([[fitted.value(_swapped(labels, a, b)) - value for b in ranks] for a in ranks])
        assert np.allclose(delta, delta.T, atol=VALUE_TOLERANCE), f"swap_delta of {metric} on {labels} is not symmetric"
        worst = np.unravel_index(np.abs(delta - expected).argmax(), delta.shape)
        assert np.allclose(delta, expected, atol=VALUE_TOLERANCE), (
            f"swap_delta of {metric} on {labels}, ranks {worst}: {delta[worst]}, but value changes by {expected[worst]}"
        )


def check_factors(metric: Metric) -> None:
    """Where a metric states `swap_factors`, they give |swap_delta| for every pair of different labels."""
    for labels in _lists(7, 9, 40):
        fitted = metric.for_labels(labels)
        if math.isnan(fitted.value(labels)) or labels.min() == labels.max():
            continue
        factors = fitted.swap_factors(labels)
        if factors is None:
            return
        classes, heights, weights = factors
        i, j = np.triu_indices(len(labels), k=1)
        i, j = i[labels[i] != labels[j]], j[labels[i] != labels[j]]
        stated = np.sum(weights[:, classes[i], classes[j]] * (heights[:, i] - heights[:, j]), axis=0)
        same = np.allclose(stated, np.abs(fitted.swap_delta(labels, i, j)), atol=VALUE_TOLERANCE)
        assert same, f"swap_factors of {metric} on {labels} do not give its swap_delta"


def check_ties(metric: Metric) -> None:
    """`tied_value` is the mean over all orders of tied documents; for thresholds, it does not see their order."""
    rng = np.random.default_rng(3)
    for labels in _lists(3, 6, 30):
        fitted = metric.for_labels(labels)
        alone = np.arange(len(labels) + 1)
        same = _same(fitted.tied_value(labels, alone), fitted.value(labels))
        assert same, f"{metric}: tied_value without ties differs"
        runs = run_starts(np.sort(rng.integers(0, 3, len(labels)).astype(float))[::-1])
        pieces = [labels[a:b] for a, b in itertools.pairwise(runs)]
        orders = [np.concatenate(order) for order in itertools.product(*map(itertools.permutations, pieces))]
        tied = fitted.tied_value(labels, runs)
        if metric.thresholds:
            same = all(_same(tied, fitted.tied_value(order, runs)) for order in orders)
            assert same, f"{metric} of {labels}, runs {runs} sees the order of ties"
        elif metric.has_exact_ties:
            mean = float(np.mean([fitted.value(order) for order in orders]))
            assert _same(tied, mean), f"{metric} of {labels}, runs {runs}: {tied}, but the mean over orders is {mean}"


def _example(seed: int, ties: bool) -> tuple[FloatArray, FloatArray, IntArray]:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(30), rng.integers(1, 12, 30))
    scores = rng.integers(0, 6, qid.size) / 2.0 if ties else rng.permutation(qid.size) / 2.0
    return rng.integers(0, 4, qid.size).astype(float), scores, qid


def check_compiled(metric: Metric) -> None:
    """The compiled loop gives what the methods give when called on one query at a time."""
    for ties in (False, True):
        y, scores, qid = _example(4, ties)
        values = evaluate(y, scores, qid, [metric]).per_query[str(metric)]
        fitted = metric.for_labels(y)
        for q in np.unique(qid):
            order = np.argsort(-scores[qid == q], kind="stable")
            ranked = y[qid == q][order]
            expected = fitted.tied_value(ranked, run_starts(scores[qid == q][order]))
            assert _same(float(values[q]), expected), f"{metric}: evaluate gives {values[q]}, its methods {expected}"


def check_rows(metric: Metric) -> None:
    """The order of the rows does not matter, nor does a map of the scores that keeps their order."""
    y, scores, qid = _example(5, ties=metric.has_exact_ties)
    expected = evaluate(y, scores, qid, [metric])
    shuffled = np.random.default_rng(5).permutation(y.size)
    reordered = evaluate(y[shuffled], scores[shuffled], qid[shuffled], [metric])
    back = np.argsort(reordered.qids)
    text = str(metric)
    for name, other in (
        ("the order of the rows", reordered.per_query[text][back]),
        ("adding to the scores", evaluate(y, scores - 1e3, qid, [metric]).per_query[text]),
        ("a monotone map of the scores", evaluate(y, np.exp(scores / 100), qid, [metric]).per_query[text]),
    ):
        close = np.allclose(expected.per_query[text], other, atol=VALUE_TOLERANCE, equal_nan=True)
        assert close, f"{metric} changes with {name}"


def check_weights(metric: Metric) -> None:
    """A weighted mean stays between the lowest and the highest query."""
    y, scores, qid = _example(6, ties=False)
    weight = np.random.default_rng(6).exponential(size=30)
    result = evaluate(y, scores, qid, [metric], query_weight=weight)
    values = result.per_query[str(metric)]
    inside = np.nanmin(values) - VALUE_TOLERANCE <= result[metric] <= np.nanmax(values) + VALUE_TOLERANCE
    assert inside, f"{metric}: weights leave the range"


def metric_checks() -> list[Callable[[Metric], None]]:
    """List all checks for metrics, to be run one by one.

    Returns
    -------
    list of callable
        Each takes a metric and raises AssertionError.
    """
    return [
        check_text,
        check_range,
        check_best_order,
        check_swaps,
        check_factors,
        check_ties,
        check_compiled,
        check_rows,
        check_weights,
    ]


def check_metric(metric: Metric) -> None:
    """Run every check on a metric.

    Parameters
    ----------
    metric : Metric
        Any metric.

    Raises
    ------
    AssertionError
        If a check fails; the message says what does not hold.

    Examples
    --------
    >>> from rankwise.metrics import NDCG
    >>> check_metric(NDCG(k=3))
    """
    for check in metric_checks():
        check(metric)
