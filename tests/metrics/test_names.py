"""Names of metrics as people type them, and what is said of those that are none."""

from __future__ import annotations

from typing import Any

import pytest

import rankwise as rw
from rankwise.errors import MetricError
from rankwise.metrics import NDCG
from rankwise.metrics._names import ALIASES, EXAMPLES, WORD


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("recall@10", "r@10"),
        ("Precision@5", "p@5"),
        ("precision[capped]@5", "p[capped]@5"),
        ("ap", "map"),
        ("AP@10", "map@10"),
        ("average_precision", "map"),
        ("roc_auc", "auc"),
        ("ROC-AUC", "auc"),
        ("pr_auc", "aucpr"),
        ("reciprocal_rank", "mrr"),
        ("recip_rank", "mrr"),
        ("rr@10", "mrr@10"),
        ("hit@3", "success@3"),
        ("hits@3", "success@3"),
        ("hit_rate@3", "success@3"),
        ("r_precision", "r-precision"),
        ("rprec", "r-precision"),
        ("rank-biased-precision[0.95]", "rbp[0.95]"),
        ("recall@precision=0.95", "r@p=0.95"),
        ("precision@recall=0.9", "p@r=0.9"),
        ("0.5*recall@10 + 2*roc_auc", "0.5*r@10 + 2*auc"),
    ],
)
def test_what_people_type_is_read(typed: str, name: str) -> None:
    assert str(rw.parse(typed)) == name


def test_aliases_stand_for_names_that_exist_and_hide_none() -> None:
    names = {WORD.findall(text)[0] for text in EXAMPLES}
    assert set(ALIASES.values()) <= names
    assert not set(ALIASES) & names


def test_results_answer_to_what_was_typed() -> None:
    result = rw.evaluate([1, 0, 1], [3, 2, 1], metrics="recall@1, ap")
    assert list(result.per_query) == ["r@1", "map"]
    assert result["recall@1"] == result["r@1"] == 0.5


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("recal@10", "did you mean r@10?"),
        ("precison@5", "did you mean p@5"),
        ("hit_ratios@10", "did you mean success@10"),
        ("ndgc@7", "did you mean ndcg@7"),
        ("ndcg@ten", "did you mean ndcg@10"),
        ("rocauc_", "did you mean auc"),
        ("alpha-ndcg@10", "use rankwise.metrics.alpha_ndcg"),
        ("zzz", "known are: auc "),
    ],
)
def test_a_name_that_is_none_has_a_sensible_hint(text: str, hint: str) -> None:
    with pytest.raises(MetricError) as raised:
        rw.parse(text)
    assert hint in str(raised.value)


def my_metric(y: Any, scores: Any) -> float:
    return 0.0


@pytest.mark.parametrize("metrics", [my_metric, [my_metric], ["auc", my_metric]])
def test_a_function_is_told_of_the_class(metrics: Any) -> None:
    with pytest.raises(MetricError, match=r"_value\(ranked, ideal\).*got the function 'my_metric'.*add-a-metric"):
        rw.evaluate([1, 0], [2, 1], metrics=metrics)


def test_a_class_is_told_of_its_objects() -> None:
    with pytest.raises(MetricError, match=r"got the class NDCG; pass NDCG\("):
        rw.evaluate([1, 0], [2, 1], metrics=[NDCG])  # type: ignore[list-item]


@pytest.mark.parametrize("p", [0, 1, -0.5, 2])
def test_rbp_needs_a_chance(p: float) -> None:
    with pytest.raises(MetricError, match="p of rbp must be above 0 and below 1"):
        rw.parse(f"rbp[{p}]")
