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
        "success@10 r-precision rbp aucpr pauc[0,0.1] aucpr[0.8,1] r@p=0.95 p@r=0.9 tpr@fpr=0.01 f1 f2"
    ).split(),
    "0.7*ndcg@10 + 0.3*auc",
]

ALIASES = {
    alias: name
    for name, others in {
        "p": "precision prec",
        "r": "recall rec",
        "map": "ap averageprecision meanaverageprecision",
        "mrr": "rr reciprank reciprocalrank meanreciprocalrank",
        "auc": "rocauc aucroc auroc",
        "aucpr": "prauc auprc",
        "ndcg": "ndcgburges normalizeddcg",
        "err": "expectedreciprocalrank",
        "success": "hit hits hitrate hitratio successrate",
        "r-precision": "rprecision rprec",
        "rbp": "rankbiasedprecision",
        "wta": "winnertakesall",
        "p-micro": "pmicro microprecision precisionmicro",
        "p-macro": "pmacro macroprecision precisionmacro",
        "f1": "f1score",
        "f2": "f2score",
    }.items()
    for alias in others.split()
}
"""Other words for names, without - and _; each is read wherever such a name stands, as in recall@precision=0.9."""

WORD = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")

PLUS = re.compile(r"(?<!\de)(?<!\.e)\+(?![^\[]*\])")  # between terms, not that of 1e+2, nor in brackets


def parse(text: str | Metric) -> Metric:
    """Return the metric that a text spells.

    Parameters
    ----------
    text : str or Metric
        A name such as `ndcg@10`, `map[capped]@5` or `r@p=0.95`, or a sum such as `0.7*ndcg@10 + 0.3*auc`; other words
        for names are read too, such as `recall@10`, `ap` or `roc_auc`. A metric is returned as it is.

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
    >>> str(parse("precision@5")), str(parse("hit_rate@10")), str(parse("recall@precision=0.95"))
    ('p@5', 'success@10', 'r@p=0.95')
    >>> parse("0.7*ndcg@10+0.3*auc").weights
    (0.7, 0.3)
    """
    if isinstance(text, Metric):
        return text
    if not isinstance(text, str):
        raise MetricError(_no_name(text))
    spelled = text.strip().lower()
    if (metric := _find(spelled) or _find(WORD.sub(_name_of_alias, spelled))) is not None:
        return metric
    terms = PLUS.split(spelled)
    if len(terms) > 1 or "*" in spelled:
        weights, names = zip(*map(_weight_and_name, terms), strict=True)
        return WeightedSum(tuple(map(parse, names)), weights)
    raise MetricError(f"there is no metric {text!r}; {_hint(spelled)}")


def _find(name: str) -> Metric | None:
    """The metric of exactly this name."""
    metrics = (cls._from_text(name) for cls in metric_classes())
    return next((metric for metric in metrics if metric is not None), None)


def _name_of_alias(word: re.Match[str]) -> str:
    """The name that a word stands for; a metric of the user's with such a name has been found before."""
    return ALIASES.get(re.sub("[_-]", "", word[0]), word[0])


def _no_name(value: object) -> str:
    """What to do with something that is neither a metric nor a text."""
    if isinstance(value, type) and issubclass(value, Metric):
        return f"a metric is an object of its class, got the class {value.__name__}; pass {value.__name__}(…)"
    if callable(value):
        return (
            f"a metric of your own is a class with a method _value(ranked, ideal), derived from rankwise.Metric, got "
            f"the function {getattr(value, '__name__', value)!r:.100}; write it as docs/add-a-metric.md shows"
        )
    return f"a metric is named by a text such as ndcg@10, got {value!r:.100}; pass one"


def _hint(spelled: str) -> str:
    """Metrics whose names, or other words for them, are like this one, with its own cut-off where they take it."""
    word, rest = (match[0], spelled[match.end() :]) if (match := WORD.match(spelled)) else (spelled, "")
    if re.sub("[_-]", "", word) in ("alphandcg", "andcg"):
        return "it needs labels by subtopic; use rankwise.metrics.alpha_ndcg"
    examples = {cls.name: cls.name for cls in metric_classes() if WORD.fullmatch(cls.name)}
    examples |= {WORD.findall(text)[0]: text for text in reversed(EXAMPLES[:-1])}
    examples |= {alias: examples[name] for alias, name in ALIASES.items()}
    near = dict.fromkeys(examples[like] for like in difflib.get_close_matches(word, examples, n=3, cutoff=0.7))
    if not near:
        return f"known are: {' '.join(EXAMPLES)}"
    with_rest = {text: WORD.findall(text)[0] + rest for text in near}
    return f"did you mean {' or '.join(own if _find(own) else text for text, own in with_rest.items())}?"


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
    elif not isinstance(metrics, Iterable) or isinstance(metrics, Mapping) or getattr(metrics, "ndim", 1) == 0:
        metrics = [metrics]  # type: ignore[list-item]  # a metric, or nothing that `parse` can use
    by_text = {str(metric): metric for metric in map(parse, metrics)}
    if not by_text:
        raise MetricError("no metric was named; name at least one, such as ndcg@10")
    return by_text
