"""Presets against the programs they are named after."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk

import rankwise as rw
from rankwise.errors import MetricError
from rankwise.metrics._conventions import CONVENTIONS

GOLDEN = Path(__file__).parents[1] / "golden"
Example = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def example(seed: int, highest: int, ties: bool) -> Example:
    """Queries of 1 to 30 documents, some of them without a relevant one."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(60), rng.integers(1, 30, 60))
    y = np.minimum(rng.poisson(0.5, qid.size), highest).astype(float)
    y[qid % 7 == 3] = 0
    scores = rng.integers(0, 6, qid.size) / 4 if ties else rng.permutation(qid.size) / 64
    return y, scores, qid


def ours(trec_name: str) -> str | None:
    """trec_eval's name of a measure in our spelling."""
    plain = {"map": "map", "ndcg": "ndcg", "recip_rank": "mrr", "bpref": "bpref", "Rprec": "r-precision"}
    prefixes = {"ndcg_cut_": "ndcg@", "map_cut_": "map@", "P_": "p@", "recall_": "r@", "success_": "success@"}
    if trec_name in plain:
        return plain[trec_name]
    for prefix, spelling in prefixes.items():
        if trec_name.startswith(prefix) and trec_name.removeprefix(prefix).isdigit():
            return spelling + trec_name.removeprefix(prefix)
    return None


def test_trec_eval_printed_these(shared_data: Path) -> None:
    """Every measure of `trec_eval -q -a` that has a namesake here, per query and over all, to its four digits."""
    folder = shared_data / "trec_eval"
    rows = [line.split() for line in (folder / "out.test.aq").read_text().splitlines()]
    printed = {(ours(name), query): float(value) for name, query, value in rows if ours(name)}
    metrics = sorted({metric for metric, _ in printed if metric})
    assert len(metrics) >= 43
    data = rw.read(folder / "qrels.test", folder / "results.test")
    found = rw.evaluate(data.y, data.scores, data.qid, metrics, convention="trec", doc_ids=data.doc_ids)  # type: ignore[arg-type]
    for (metric, query), value in printed.items():
        assert metric is not None
        mine = found[metric] if query == "all" else found.per_query[metric][found.qids.tolist().index(query)]
        assert abs(mine - value) <= 0.5001e-4, (metric, query, mine, value)


@pytest.mark.parametrize("ties", [False, True])
def test_pytrec_eval(ties: bool) -> None:
    import pytrec_eval

    y, scores, qid = example(1, 3, ties)
    ids = [f"doc{(7919 * i) % 1009}-{i}" for i in range(y.size)]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q, d, label, score in zip(qid, ids, y, scores, strict=True):
        qrels.setdefault(str(q), {})[d] = int(label)
        run.setdefault(str(q), {})[d] = float(score)
    names = {"map", "ndcg", "ndcg_cut", "map_cut", "P", "recall", "recip_rank", "bpref", "Rprec", "success"}
    judged = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    theirs = {name: ours(name) for name in judged["0"] if ours(name)}
    found = rw.evaluate(y, scores, qid, [m for m in theirs.values() if m], convention="trec", doc_ids=ids)
    for at, q in enumerate(found.qids):
        for name, metric in theirs.items():
            assert metric is not None
            assert found.per_query[metric][at] == pytest.approx(judged[str(q)][name], abs=1e-9), (name, q)


@pytest.mark.parametrize("ties", [False, True])
def test_lightgbm(ties: bool) -> None:
    """LightGBM judges scores given as init_score, with trees that cannot split."""
    import lightgbm as lgb

    y, scores, qid = example(2, 4, ties)
    _, sizes = np.unique(qid, return_counts=True)
    rng = np.random.default_rng(0)
    data = lgb.Dataset(rng.normal(size=(y.size, 1)), y, group=sizes, init_score=scores)
    params = {
        "objective": "lambdarank",
        "metric": ["ndcg", "map"],
        "eval_at": [1, 3, 10],
        "min_data_in_leaf": y.size,
        "verbose": -1,
    }
    history: dict[str, dict[str, list[float]]] = {}
    lgb.train(params, data, 1, valid_sets=[data], valid_names=["rows"], callbacks=[lgb.record_evaluation(history)])
    found = rw.evaluate(y, scores, qid, list(history["rows"]), convention="lightgbm")
    assert len(history["rows"]) == 6
    for metric, values in history["rows"].items():
        assert found[metric] == pytest.approx(values[0], abs=1e-12), metric


def test_xgboost() -> None:
    """Values that XGBoost 3.2.0 gave: tests/golden/make_xgboost.py."""
    record = json.loads((GOLDEN / "xgboost.json").read_text())
    for case in record["cases"]:
        names = {name: name.replace("pre@", "p@") for name in case["values"]}
        found = rw.evaluate(case["y"], case["scores"], case["qid"], list(names.values()), convention="xgboost")
        for name, metric in names.items():
            assert found[metric] == pytest.approx(case["values"][name], abs=1e-7), name


def test_letor4(shared_data: Path) -> None:
    """Values of a Perl transcription of LETOR 4.0's script (see letor4.json) for three features of MQ2008 as scores."""
    record = json.loads((GOLDEN / "letor4.json").read_text())
    data = rw.read(shared_data / record["file"])
    for feature, values in record["features"].items():
        metrics = [name for name in values if name != "queries"]
        found = rw.evaluate(data.y, data.X[:, int(feature) - 1], data.qid, metrics, convention="letor4")
        assert found.queries_counted("map") == values["queries"]
        for metric in metrics:
            assert found[metric] == pytest.approx(values[metric], abs=1e-10), (feature, metric)


@pytest.mark.parametrize("ties", [False, True])
def test_sklearn_by_query(ties: bool) -> None:
    y, scores, qid = example(3, 3, ties)
    found = rw.evaluate(y, scores, qid, "ndcg@5 map auc", convention="sklearn")
    for at, q in enumerate(found.qids):
        rows = qid == q
        relevant = (y[rows] > 0).astype(int)
        if rows.sum() > 1:
            expected = sk.ndcg_score([y[rows]], [scores[rows]], k=5)
            assert found.per_query["ndcg@5"][at] == pytest.approx(expected, abs=1e-12)
        if relevant.any():
            expected = sk.average_precision_score(relevant, scores[rows])
            assert found.per_query["map"][at] == pytest.approx(expected, abs=1e-12)
        else:
            assert found.per_query["map"][at] == 0
        if relevant.any() and not relevant.all():
            assert found.per_query["auc"][at] == pytest.approx(sk.roc_auc_score(relevant, scores[rows]), abs=1e-12)
        else:
            assert np.isnan(found.per_query["auc"][at])
    assert found.left_out["auc"].count == np.isnan(found.per_query["auc"]).sum() > 0


def test_unknown_convention_is_named() -> None:
    with pytest.raises(MetricError, match="'letor5'; use one of standard, letor4, trec, lightgbm, xgboost, sklearn"):
        rw.evaluate([1, 0], [1, 0], convention="letor5")


def test_peers_defects_are_not_ours() -> None:
    """What was reproduced in other libraries (shared/field): the values here are right or refused."""
    # LightGBM: weighted NDCG with an all-irrelevant query is 5.5 there; XGBoost aborts
    weighted = rw.evaluate([1, 0, 0, 0], [2, 1, 2, 1], [0, 0, 1, 1], "ndcg", query_weight=[0.1, 0.1])
    assert weighted["ndcg"] == 1.0
    assert weighted.left_out["ndcg"].count == 1
    # four libraries, four values of AP@2 on one list
    named = rw.evaluate([1, 0, 1, 1], [4, 3, 2, 1], metrics=["map@2", "map[min]@2"])
    assert named["map@2"] == pytest.approx(1 / 3)
    assert named["map[min]@2"] == pytest.approx(1 / 2)
    # torchmetrics: AP changes when 1 is subtracted from all scores
    scores = np.array([0.9, 0.5, 0.2])
    assert (
        rw.evaluate([1, 0, 1], scores, metrics="map")["map"] == rw.evaluate([1, 0, 1], scores - 1, metrics="map")["map"]
    )
    # LightGBM, XGBoost: constant scores give an NDCG that depends on the order of the rows
    rising, falling = (rw.evaluate(y, np.zeros(4), metrics="ndcg")["ndcg"] for y in ([0, 1, 2, 3], [3, 2, 1, 0]))
    assert rising == falling < 1
    # LightGBM: labels above 30 or real-valued are fatal, lists above 10,000 too
    assert rw.evaluate(np.arange(20_000) / 1000, np.arange(20_000), metrics="ndcg")["ndcg"] == pytest.approx(1.0)


def test_every_convention_is_described() -> None:
    for name, convention in CONVENTIONS.items():
        assert convention.name == name
        assert convention.about
