"""`evaluate`: rows in any order, ties, empty queries, unjudged and unretrieved documents, bad input."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import DataError, MetricError, RankwiseError, ShapeError
from rankwise.metrics import NDCG, AveragePrecision, Metric, compiled
from rankwise.metrics._names import EXAMPLES
from rankwise.types import FloatArray


def test_rows_of_a_query_may_lie_apart() -> None:
    y, s, q = [1, 0, 0, 1, 2], [1.0, 2.0, 3.0, 4.0, 5.0], ["b", "a", "b", "a", "b"]
    apart = rw.evaluate(y, s, q, "ndcg mrr")
    together = rw.evaluate([1, 0, 2, 0, 1], [1.0, 3.0, 5.0, 2.0, 4.0], ["b", "b", "b", "a", "a"], "ndcg mrr")
    assert apart.qids.tolist() == ["b", "a"]
    for metric in ("ndcg", "mrr"):
        np.testing.assert_array_equal(apart.per_query[metric], together.per_query[metric])


def test_ties_worst_best_input_and_docid() -> None:
    y, s, ids = [0, 1, 0, 1], [1.0, 1.0, 1.0, 1.0], ["c", "a", "d", "b"]
    values = {
        ties: rw.evaluate(y, s, metrics="map", ties=ties, doc_ids=ids)["map"]
        for ties in ("expected", "worst", "best", "input", "docid")
    }
    assert values["best"] == 1.0
    assert values["worst"] == pytest.approx((1 / 3 + 2 / 4) / 2)
    assert values["input"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert values["docid"] == pytest.approx((1 / 3 + 2 / 4) / 2)  # d, c, b, a
    orders = [
        rw.evaluate([y[i] for i in order], [4, 3, 2, 1], metrics="map")["map"] for order in permutations(range(4))
    ]
    assert values["expected"] == pytest.approx(np.mean(orders))


def test_docid_ties_need_ids() -> None:
    with pytest.raises(DataError, match="pass doc_ids="):
        rw.evaluate([1, 0], [1, 1], ties="docid")


@pytest.mark.parametrize(("rule", "mean", "left_out"), [("skip", 1.0, 1), ("0", 0.5, 0), ("1", 1.0, 0)])
def test_queries_without_a_relevant_document(rule: Any, mean: float, left_out: int) -> None:
    found = rw.evaluate([1, 0, 0, 0], [2, 1, 2, 1], [0, 0, 1, 1], "ndcg", empty=rule)
    assert found["ndcg"] == mean
    assert found.left_out["ndcg"].count == left_out
    assert found.left_out["ndcg"].why == ("needs a relevant document" if left_out else "")


def test_empty_error_names_the_query() -> None:
    with pytest.raises(DataError, match="ndcg needs a relevant document, which query 7 lacks"):
        rw.evaluate([1, 0, 0, 0], [2, 1, 2, 1], [5, 5, 7, 7], "ndcg", empty="error")


def test_unretrieved_and_unjudged_documents() -> None:
    y = [1, -1, 0, 1, 1]
    s = [3.0, 2.0, 1.0, 0.5, -np.inf]  # the last one was never retrieved
    found = rw.evaluate(y, s, metrics="map r@10 ndcg bpref auc p@5")
    assert found["map"] == pytest.approx((1 / 1 + 2 / 4) / 3)
    assert found["r@10"] == pytest.approx(2 / 3)
    discount = 1 / np.log2(np.arange(2, 7))
    assert found["ndcg"] == pytest.approx((discount[0] + discount[3]) / discount[:3].sum())
    assert found["bpref"] == pytest.approx((1 + (1 - 1 / 1)) / 3)
    assert found["p@5"] == pytest.approx(2 / 5)
    assert found["auc"] == pytest.approx((2 + 0 + 0) / 6)  # an unjudged document counts as irrelevant here


def test_a_query_that_retrieved_nothing_is_worth_nothing() -> None:
    found = rw.evaluate([1, 0, 0, 0], [-np.inf] * 4, [0, 0, 1, 1], "ndcg map mrr p@2 err")
    assert found["ndcg"] == found["map"] == found["mrr"] == found["p@2"] == found["err"] == 0
    assert found.left_out["ndcg"].count == 1


def test_one_list_without_qid() -> None:
    found = rw.evaluate([1, 0, 1], [3, 2, 1])
    assert list(found.means) == ["ndcg@10", "map", "mrr", "auc"]
    assert found.qids.size == 1


def test_weights_weigh_queries() -> None:
    y, s, q = [1, 0, 0, 1], [2, 1, 2, 1], [0, 0, 1, 1]
    assert rw.evaluate(y, s, q, "mrr", query_weight=[3, 1])["mrr"] == pytest.approx((3 * 1 + 1 * 0.5) / 4)


def made_data(**fields: Any) -> rw.RankingData:
    return rw.RankingData(np.zeros((4, 1)), [1, 0, 0, 1], ["b", "b", "a", "a"], **fields)


def test_ranking_data_brings_labels_queries_weights_and_ids() -> None:
    scores = [2.0, 1.0, 1.0, 1.0]
    data = made_data(query_weight=[3, 1], doc_ids=["d1", "d2", "d3", "d4"])
    by_data = rw.evaluate(data, scores, metrics="mrr auc", convention="trec")
    by_arrays = rw.evaluate(
        data.y, scores, data.qid, "mrr auc", convention="trec", query_weight=[3, 1], doc_ids=data.doc_ids
    )
    assert by_data.to_dict() == by_arrays.to_dict()
    assert by_data["mrr"] == 1.0  # equal scores by falling document id: d4 before d3
    assert rw.evaluate(made_data(), scores, metrics="mrr", query_weight=[3, 1])["mrr"] == pytest.approx((3 + 0.75) / 4)


@pytest.mark.parametrize(
    ("fields", "passed"),
    [({}, {"qid": [1, 1, 1, 1]}), ({}, {"qid": "ndcg@10"}), ({"query_weight": [1, 2]}, {"query_weight": [1, 2]})],
)
def test_what_ranking_data_has_is_not_passed_beside_it(fields: dict[str, Any], passed: dict[str, Any]) -> None:
    (name,) = passed
    with pytest.raises(DataError, match=f"RankingData brings its {name} along, got {name} too; pass the data alone"):
        rw.evaluate(made_data(**fields), [1, 2, 3, 4], **passed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [], "scores": []}, "there are no rows, got no labels"),
        ({"y": [1, 0], "scores": [1]}, "one entry per row, got 2 and 1"),
        ({"y": [1, np.nan], "scores": [1, 2]}, "labels must be finite, got nan at row 1"),
        ({"y": [1, 0], "scores": [np.nan, 2]}, "scores must be finite, got nan at row 0"),
        ({"y": [1, 0], "scores": [np.inf, 2]}, "scores must be finite, got inf at row 0"),
        (
            {"y": [[1, 0]], "scores": [1, 2]},
            r"labels must have one entry per row, got an array of shape \(1, 2\)",
        ),
        ({"y": ["a", "b"], "scores": [1, 2]}, "labels must be numbers"),
        ({"y": [1, 0], "scores": [1, 2], "qid": [1]}, "qid must have one entry per row: got 1 for 2 rows"),
        ({"y": [1, 0], "scores": [1, 2], "qid": [1, np.nan]}, "got NaN at row 1"),
        ({"y": [1, 0], "scores": [1, 2], "doc_ids": ["a"]}, "doc_ids must have one entry per row"),
        ({"y": [1, 0], "scores": [1, 2], "metrics": "ndgc@10"}, "did you mean ndcg@10"),
        ({"y": [1, 0], "scores": [1, 2], "metrics": []}, "no metric was named"),
        ({"y": [1, 0], "scores": [1, 2], "ties": "random"}, "ties must be one of expected, worst"),
        ({"y": [1, 0], "scores": [1, 2], "empty": "none"}, "empty must be one of skip, 0, 1, error"),
        ({"y": [1, 0], "scores": [1, 2], "query_weight": [1, 1]}, "one entry per query: got 2 for 1 queries"),
        ({"y": [1, 0], "scores": [1, 2], "query_weight": [-1]}, "weights must be 0 or more"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((DataError, ShapeError, MetricError), match=message) as caught:
        rw.evaluate(**arguments)
    assert isinstance(caught.value, RankwiseError)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["ndcg@0", "p", "auc@5", "map[foo]", "r@p=1.5", "pauc[0.5,0.1]", "f0", "mauc[a]", "ndcg@-1"]
)
def test_metrics_that_make_no_sense(text: str) -> None:
    with pytest.raises(MetricError):
        rw.parse(text)


def test_spelling_is_forgiving_where_it_can_be() -> None:
    assert rw.parse(" NDCG@10 ") == NDCG(k=10)
    assert rw.parse("map[min]@3") == AveragePrecision(k=3, capped=True)
    assert str(rw.parse("p[min]@3")) == "p[capped]@3"
    assert str(rw.parse("r@p=.95")) == "r@p=0.95"


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_threads_do_not_matter(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    sizes = np.concatenate((rng.integers(1, 400, 500), [60_000]))  # short lists, longer ones, and a very long one
    qid = np.repeat(np.arange(sizes.size), sizes)
    y, s = rng.integers(0, 5, qid.size), rng.integers(0, 2000, qid.size).astype(float)
    monkeypatch.setenv("RANKWISE_NUM_THREADS", "1")
    alone = rw.evaluate(y, s, qid, EXAMPLES)
    monkeypatch.setenv("RANKWISE_NUM_THREADS", threads)
    shared = rw.evaluate(y, s, qid, EXAMPLES)
    for metric in EXAMPLES:
        np.testing.assert_array_equal(alone.per_query[metric], shared.per_query[metric])


@dataclass(frozen=True)
class RankBiased(Metric, register=False):
    """A user's metric in plain Python, with `_value` alone."""

    name: ClassVar[str] = "test-rbp"
    p: float = 0.8

    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        return float((1 - self.p) * sum(self.p**i for i, label in enumerate(ranked) if label > 0))


@dataclass(frozen=True)
class CompiledRankBiased(Metric, register=False):
    """The same, compiled."""

    name: ClassVar[str] = "test-rbp-compiled"
    p: float = 0.8

    @compiled
    def _value(self, ranked: FloatArray, ideal: FloatArray) -> float:
        total = 0.0
        for i in range(ranked.size):
            if ranked[i] > 0:
                total += self.p**i
        return (1 - self.p) * total


def test_a_plain_python_metric_works_everywhere(caplog: pytest.LogCaptureFixture) -> None:
    rng = np.random.default_rng(1)
    y, s, q = rng.integers(0, 3, 100), rng.normal(size=100), np.repeat(np.arange(10), 10)
    with caplog.at_level(logging.INFO, logger="rankwise"):
        found = rw.evaluate(y, s, q, [RankBiased(), CompiledRankBiased(), RankBiased(p=0.5)])
    assert found[RankBiased()] == pytest.approx(found[CompiledRankBiased()])
    assert found["test-rbp[0.5]"] != found["test-rbp"]
    assert "mark its methods @compiled" in caplog.text
    assert "test-rbp-compiled" not in caplog.text


def test_ties_without_a_closed_form_are_averaged_and_said_so() -> None:
    y, s = [1, 0, 0, 1], [1, 1, 1, 0]
    for metric in (RankBiased(), CompiledRankBiased()):
        found = rw.evaluate(y, s, metrics=[metric])
        exact = np.mean([metric.value([*order, 1]) for order in permutations([1, 0, 0])])
        assert found[metric] == pytest.approx(exact, abs=0.02)
        assert "averaged over 200 seeded orders" in found.notes[0]
        assert rw.evaluate(y, s, metrics=[metric])[metric] == found[metric]


def test_fields_are_not_mixed_up_between_metrics_of_one_class() -> None:
    y, s = [0, 1, 0, 1], [4, 3, 2, 1]
    found = rw.evaluate(y, s, metrics="ndcg@1 ndcg@2 ndcg@4 map@2 map")
    for metric in ("ndcg@1", "ndcg@2", "ndcg@4", "map@2", "map"):
        assert found[metric] == pytest.approx(rw.parse(metric).value(y))
