"""From text to metrics: one spelling in Python, on the command line, in output and in model files."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from rankwise.errors import MetricError
from rankwise.metrics._base import Metric, metric_classes
from rankwise.metrics.catalogue._weighted_sum import WeightedSum

EXAMPLES = [
    *(
        "auc auc[2] mauc ndcg@10 dcg@10 map map@10 mrr err@10 wta bpref pairs p@5 p-micro@5 p-macro@5 r@10 "
        "aucpr pauc[0,0.1] aucpr[0.8,1] r@p=0.95 p@r=0.9 tpr@fpr=0.01 f1 f2"
    ).split(),
    "0.7*ndcg@10 + 0.3*auc",
]

PLUS = re.compile(r"(?<!\de)(?<!\.e)\+(?![^\[]*\])")  # between terms, not that of 1e+2, nor in brackets


def parse(text: str | Metric) -> Metric:
    """Return the metric that a text spells.

    Parameters
    ----------
    text : str or Metric
        A name such as `ndcg@10`, `map[capped]@5` or `r@p=0.95`, or a sum such as `0.7*ndcg@10 + 0.3*auc`; a metric is
        returned as it is.

    Returns
    -------
    Metric
        The metric, for which `parse(str(metric)) == metric`.

    Raises
    ------
    MetricError
        If no metric is spelled so.

    Examples
    --------
    >>> parse("ndcg@10")
    NDCG(k=10, linear=False, letor=False)
    >>> str(parse("r@p=0.95"))
    'r@p=0.95'
    >>> parse("0.7*ndcg@10+0.3*auc").weights
    (0.7, 0.3)
    """
    if isinstance(text, Metric):
        return text
    if not isinstance(text, str):
        raise MetricError(f"a metric is named by a text such as ndcg@10, got {text!r:.100}; pass one")
    spelled = text.strip().lower()
    for cls in metric_classes():
        metric = cls._from_text(spelled)
        if metric is not None:
            return metric
    terms = PLUS.split(spelled)
    if len(terms) > 1 or "*" in spelled:
        weights, names = zip(*map(_weight_and_name, terms), strict=True)
        return WeightedSum(tuple(map(parse, names)), weights)
    near = difflib.get_close_matches(spelled, EXAMPLES, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are: {' '.join(EXAMPLES)}"
    raise MetricError(f"there is no metric {text!r}; {hint}")


def _weight_and_name(term: str) -> tuple[float, str]:
    """The weight of a term of a sum, 1 if it has none, and the name of its metric."""
    weight, star, name = map(str.strip, term.rpartition("*"))
    try:
        return float(weight) if star else 1.0, name
    except ValueError:
        raise MetricError(
            f"the weight of {name} must be a number, got {weight!r}; write a sum as 0.7*ndcg@10 + 0.3*auc"
        ) from None


def parse_all(metrics: str | Metric | Iterable[str | Metric]) -> dict[str, Metric]:
    """Metrics by the name they will have in results; a text may hold several, with spaces or commas between.

    >>> list(parse_all("ndcg@10, pauc[0,0.1] map"))
    ['ndcg@10', 'pauc[0,0.1]', 'map']
    >>> list(parse_all("map 0.7*ndcg@10 + 0.3*pauc[0,0.1] auc"))
    ['map', '0.7*ndcg@10 + 0.3*pauc[0,0.1]', 'auc']
    """
    if isinstance(metrics, str):
        metrics = re.findall(r"(?:[^\s,\[]|\[[^\]]*\])+", re.sub(r"\s*([+*])\s*", r"\1", metrics))
    elif isinstance(metrics, Metric):
        metrics = [metrics]
    elif not isinstance(metrics, Iterable) or isinstance(metrics, Mapping) or getattr(metrics, "ndim", 1) == 0:
        raise MetricError(f"metrics are named by texts such as ndcg@10, got {metrics!r:.100}; pass one or more")
    by_text = {str(metric): metric for metric in map(parse, metrics)}
    if not by_text:
        raise MetricError("no metric was named; name at least one, such as ndcg@10")
    return by_text
