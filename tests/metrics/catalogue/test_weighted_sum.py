"""Weighted sums of metrics: how they are spelt, what they are worth, and where they are refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise as rw
from rankwise.errors import DataError, MetricError
from rankwise.metrics import AUC, NDCG, AveragePrecision, WeightedSum, parse
from rankwise.metrics._names import EXAMPLES, parse_all

BOTH = WeightedSum((NDCG(k=10), AUC()), (0.7, 0.3))


@pytest.mark.parametrize(
    "text",
    ["0.7*ndcg@10 + 0.3*auc", "0.7*ndcg@10+0.3*auc", " 0.7 * NDCG@10  +  .3*auc ", "7e-1*ndcg@10 + 3e-1*auc"],
)
def test_spellings(text: str) -> None:
    assert parse(text) == BOTH
    assert hash(parse(text)) == hash(BOTH)
    assert str(parse(text)) == "0.7*ndcg@10 + 0.3*auc"


@given(st.lists(st.tuples(st.floats(1e-6, 1e99), st.sampled_from(EXAMPLES[:-1])), min_size=2, max_size=6))
def test_text_reads_back(terms: list[tuple[float, str]]) -> None:
    metric = WeightedSum(tuple(parse(name) for _, name in terms), tuple(weight for weight, _ in terms))
    assert parse(str(metric)) == metric
    assert list(parse_all(f"map {metric}, auc").values()) == [parse("map"), metric, parse("auc")]


def test_a_bare_term_weighs_one() -> None:
    assert parse("ndcg@10 + auc") == WeightedSum((NDCG(k=10), AUC()), (1, 1))
    assert str(parse("1*ndcg@10 + 1e+2*auc")) == "ndcg@10 + 100*auc"


@pytest.mark.parametrize("plus", ["+", " + ", "+ ", "  +"])
def test_a_text_of_several_metrics(plus: str) -> None:
    text = f"ndcg@10 0.7*pauc[0,0.1]{plus}0.3*mauc[1:0.5,2:0.5], map"
    assert list(parse_all(text)) == ["ndcg@10", "0.7*pauc[0,0.1] + 0.3*mauc[1:0.5,2:0.5]", "map"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0*auc + map", "positive, finite numbers, got 0"),
        ("-0.3*auc + map", "positive, finite numbers, got -0.3"),
        ("inf*auc + map", "positive, finite numbers, got inf"),
        ("nan*auc + map", "positive, finite numbers, got nan"),
        ("x*auc + map", "the weight of auc must be a number, got 'x'"),
        ("0.7*ndcg@10 - 0.3*auc", "write a sum as"),
        ("0.5*auc", "two or more"),
        ("auc + ", "there is no metric ''"),
        ("auc + ndgc@10", "did you mean ndcg@10"),
    ],
)
def test_refused_in_a_sentence(text: str, told: str) -> None:
    with pytest.raises(MetricError, match=told.replace("'", ".")):
        parse(text)


def test_weights_are_one_per_part() -> None:
    with pytest.raises(MetricError, match="one weight per part"):
        WeightedSum((NDCG(), AUC()), (1.0,))


def test_a_sum_in_a_sum_is_its_parts() -> None:
    nested = WeightedSum((BOTH, AveragePrecision()), (2.0, 1.0))
    assert nested == WeightedSum((NDCG(k=10), AUC(), AveragePrecision()), (1.4, 0.6, 1.0))


def test_what_it_trains_by_is_the_sum_of_what_its_parts_train_by() -> None:
    assert BOTH.for_training().terms() == [(0.7, NDCG(k=10).for_training()), (0.3, AUC().for_training())]


def test_what_a_class_says_of_its_metrics_follows_the_parts() -> None:
    mixed = parse("2*bpref + r@p=0.5 + dcg")
    assert (mixed.takes_unjudged, mixed.thresholds, mixed.ranks_everything) == (True, True, True)
    assert mixed.upper == np.inf
    assert BOTH.needs == "a relevant document, a relevant and an irrelevant document"
    assert (BOTH.thresholds, BOTH.upper) == (False, 1.0)
    again = pickle.loads(pickle.dumps(BOTH))
    assert (again, again.needs) == (BOTH, BOTH.needs)


def test_parts_that_want_different_orders_say_so() -> None:
    with pytest.raises(MetricError, match="want different orders"):
        parse("ndcg + auc[1]").best_order([2, 1, 0])


def example(ties: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(40), rng.integers(1, 9, 40))
    scores = rng.integers(0, 4, qid.size) if ties else rng.permutation(qid.size)
    return rng.integers(-1, 3, qid.size).astype(float), scores.astype(float), qid


@pytest.mark.parametrize("convention", ["standard", "letor4", "trec", "lightgbm", "xgboost", "sklearn"])
@pytest.mark.parametrize("empty", [None, "skip", "0", "1"])
def test_evaluated_as_its_parts_are(convention: str, empty: str | None) -> None:
    """Whatever the convention, also where a query counts 0 or 1 for a part; ties and unjudged documents included."""
    y, s, qid = example(ties=True)
    text, parts = "0.5*ndcg@3 + 2*bpref + map + auc", ["ndcg@3", "bpref", "map", "auc"]
    options = {"convention": convention, "empty": empty, "doc_ids": np.arange(y.size).astype(str)}
    found = rw.evaluate(y, s, qid, [text, *parts], **options)  # type: ignore[arg-type]
    expected = sum(w * found.per_query[part] for w, part in zip((0.5, 2, 1, 1), parts, strict=True))
    np.testing.assert_allclose(found.per_query[text], expected, atol=1e-15)
    alone = rw.evaluate(y, s, qid, text, **options)  # type: ignore[arg-type]
    np.testing.assert_array_equal(alone.per_query[text], found.per_query[text])


def test_queries_that_one_part_is_not_defined_for_are_left_out() -> None:
    found = rw.evaluate([1, 1, 1, 0], [1, 2, 3, 4], [0, 0, 1, 1], BOTH)
    assert np.isnan(found.per_query[str(BOTH)]).tolist() == [True, False]
    assert found.left_out[str(BOTH)].count == 1
    with pytest.raises(DataError, match="auc needs a relevant and an irrelevant document, which query 0 lacks"):
        rw.evaluate([1, 1, 1, 0], [1, 2, 3, 4], [0, 0, 1, 1], BOTH, empty="error")


def test_what_a_metric_reads_from_all_labels_is_for_each_part() -> None:
    y, s, qid = example(ties=False)
    found = rw.evaluate(y, s, qid, ["mauc", "err", "0.5*mauc + err"])
    assert parse("0.5*mauc + err").reads_dataset
    np.testing.assert_allclose(
        found.per_query["0.5*mauc + err"], 0.5 * found.per_query["mauc"] + found.per_query["err"], atol=1e-15
    )
