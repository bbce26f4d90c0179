"""Judgements and runs as dictionaries and frames, against trec_eval's own code and ranx."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import rankwise as rw
from rankwise.errors import DataError

Table = dict[str, dict[str, Any]]
DOCUMENTS = st.sampled_from([f"d{i}" for i in range(12)])
QRELS = {"q1": {"a": 2, "b": 1, "z": 1}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.8, "x": 0.7}, "q2": {"y": 0.9, "c": 0.8}}
TREC_NAMES = {
    "map": "map",
    "ndcg": "ndcg",
    "ndcg_cut_5": "ndcg@5",
    "P_5": "p@5",
    "recall_5": "r@5",
    "recip_rank": "mrr",
    "success_5": "success@5",
    "Rprec": "r-precision",
    "bpref": "bpref",
}
RANX_NAMES = {
    "map": "map",
    "mrr": "mrr",
    "precision@5": "p@5",
    "recall@5": "r@5",
    "hit_rate@5": "success@5",
    "r-precision": "r-precision",
    "rbp.80": "rbp",
    "ndcg_burges@5": "ndcg@5",
}


@st.composite
def tables(draw: st.DrawFn, highest: int, ties: bool) -> tuple[Table, Table]:
    """Judgements and a run of some of the same queries; documents are judged, retrieved, or both."""
    qrels, run = {}, {}
    for query in ("q1", "q2", "q3"):
        qrels[query] = draw(st.dictionaries(DOCUMENTS, st.integers(0, highest), min_size=1, max_size=8))
        documents = draw(st.lists(DOCUMENTS, unique=True, min_size=1, max_size=8))
        scores = [draw(st.integers(0, 3)) / 2 for _ in documents] if ties else np.arange(len(documents), 0, -1.0)
        run[query] = dict(zip(documents, map(float, scores), strict=True))
    return qrels, run


@given(tables(highest=3, ties=True))
@settings(max_examples=60)
def test_trec_convention_is_trec_eval(example: tuple[Table, Table]) -> None:
    qrels, run = example
    judged = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "ndcg_cut", "P", "recall", "recip_rank", "success", "Rprec", "bpref"}).evaluate(run)  # fmt: skip  # noqa: E501
    found = rw.evaluate(qrels, run, list(TREC_NAMES.values()), convention="trec")
    for at, query in enumerate(found.qids):
        for theirs, ours in TREC_NAMES.items():
            assert found.per_query[ours][at] == pytest.approx(judged[query][theirs], abs=1e-9), (query, ours)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # ranx's own numba code warns
@given(tables(highest=1, ties=False))
@settings(max_examples=15, deadline=None)
def test_figures_are_those_of_ranx(example: tuple[Table, Table]) -> None:
    from tests.reference.interpreted_ranx import interpreted, ranx

    qrels, run = example
    relevant = {query: {d: g for d, g in row.items() if g > 0} or {"none": 1} for query, row in qrels.items()}
    with interpreted():
        judged = ranx.evaluate(ranx.Qrels(relevant), ranx.Run(run), list(RANX_NAMES))
    found = rw.evaluate(relevant, run, list(RANX_NAMES.values()))
    for theirs, ours in RANX_NAMES.items():
        assert found[ours] == pytest.approx(judged[theirs], abs=1e-9), ours


def frame(table: Table, query: str, document: str, number: str) -> pd.DataFrame:
    rows = [(q, d, v) for q, row in table.items() for d, v in row.items()]
    return pd.DataFrame(rows, columns=[query, document, number])


@pytest.mark.parametrize(
    ("qrels_names", "run_names"),
    [
        (("q_id", "doc_id", "score"), ("q_id", "doc_id", "score")),  # ranx
        (("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")),  # ir_measures
        (("qid", "docno", "label"), ("qid", "docno", "score")),  # PyTerrier
    ],
)
@pytest.mark.parametrize("kind", ["pandas", "arrow", "mixed"])
def test_frames_are_read_by_the_names_of_their_columns(
    qrels_names: tuple[str, str, str], run_names: tuple[str, str, str], kind: str
) -> None:
    expected = rw.evaluate(QRELS, RUN, "ndcg map")
    qrels: Any = frame(QRELS, *qrels_names)
    run: Any = frame(RUN, *run_names).assign(rank=1, tag="x")
    if kind == "arrow":
        qrels, run = pa.Table.from_pandas(qrels), pa.Table.from_pandas(run)
    if kind == "mixed":
        run = RUN
    found = rw.evaluate(qrels, run, "ndcg map")
    assert found.means == expected.means
    assert found.qids.tolist() == ["q1", "q2"]


def test_ids_that_are_numbers_are_compared_as_texts() -> None:
    found = rw.evaluate({1: {10: 1}}, pd.DataFrame({"qid": ["1"], "docno": ["10"], "score": [2.0]}), "mrr")
    assert found["mrr"] == 1.0


def test_compare_joins_all_runs_and_notes_what_is_missing() -> None:
    other = {"q1": {"a": 3.0, "z": 2.0}}
    result = rw.compare(QRELS | {"q3": {"a": 1}}, {"full": RUN, "half": other}, ["recall@2", "map"])
    assert result.evaluations["half"].per_query["r@2"].tolist() == pytest.approx([2 / 3, 0.0])
    assert result.evaluations["full"]["map"] == rw.evaluate(QRELS, RUN, metrics="map")["map"]
    assert "1 query without a retrieved document in half, evaluated as such" in result.notes
    assert "1 query of the judgements left out: no retrieved documents" in result.notes


def test_a_run_with_an_empty_query_has_retrieved_nothing_there() -> None:
    found = rw.evaluate(QRELS, RUN | {"q2": {}}, "mrr")
    assert found.per_query["mrr"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, [1, 2]), "the run must be a dictionary .* got list"),
        ((QRELS, {"q1": [1]}), "a dictionary of documents for each query, got list for query 'q1'"),
        ((QRELS, {"q1": {"a": float("nan")}}), "scores of the run for query 'q1' must be finite, got nan"),
        ((QRELS, {"z": {"a": 1}}), "no query in common with the run, got 'q1' and 'z'"),
        ((QRELS, RUN, [1, 2], "map"), "judgements name their queries themselves, got qid too"),
        ((QRELS, {"1": {"a": 1}, 1: {"a": 2}}), "must have a query once, got 1 twice"),
        ((QRELS, {"q1": {"1": 1, 1: 2}}), "a document once per query, got 1 twice in 'q1'"),
        ((QRELS, frame(RUN, "qid", "url", "score")), "a column named doc_id or .*, got qid, url, score"),
        ((QRELS, frame({"q1": {"a": "high"}}, "qid", "doc_id", "score")), "scores of the run must be numbers"),
        ((QRELS, pd.DataFrame({"qid": ["q1", None], "doc_id": ["a", "b"], "score": [1, 2]})), "a query in every row"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        rw.evaluate(*arguments)
