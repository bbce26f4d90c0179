"""Public functions with tiny arguments, for `input_kinds.py`."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.base import clone

import rankwise as rw
from benchmarks.input_kinds import Case
from rankwise import data, losses, metrics, objectives, reports, sampling
from rankwise.rankers import as_features

rng = np.random.default_rng(0)
N, QUERIES = 24, 4
X = rng.integers(0, 9, size=(N, 4)).astype(np.float64)
Y = np.array([0.0, 1.0, 2.0, 0.0, 1.0, 0.0] * QUERIES)
X[:, 0] += 2 * Y
SCORES = rng.permutation(N).astype(np.float64)
QID = np.repeat(np.arange(1.0, QUERIES + 1), N // QUERIES)
WEIGHT = rng.integers(1, 4, size=N).astype(np.float64)
QUERY_WEIGHT = np.array([1.0, 3.0, 2.0, 1.0])
CLOSE = 1e-9  # of sums in another order

SMALL = {"n_estimators": 3, "num_leaves": 4, "min_child_samples": 2, "n_jobs": 1, "random_state": 0}
RANKERS: dict[str, Any] = {
    "LambdaMART": rw.LambdaMART("ndcg@5", **SMALL),
    "LambdaRank": rw.LambdaRank("ndcg@5", epochs=2, hidden=(3,), random_state=0),
    "RankNet": rw.RankNet(epochs=2, hidden=(3,), random_state=0),
    "RankSVM": rw.RankSVM(standardize=True),
    "AUCSVM": rw.AUCSVM(standardize=True),
    "RankBoost": rw.RankBoost("ndcg@5", n_estimators=3),
    "SmoothRankBoost": rw.SmoothRankBoost("auc", n_estimators=3),
    "MarginRanker": rw.MarginRanker(epsilon=0.9),
}
RATES = rw.RateClassifier("r@p=0.5", model="linear", random_state=0)


def evaluation(**arguments: Any) -> Any:
    result = rw.evaluate(metrics="ndcg@3 map auc pairs err[2] r@p=0.5", **arguments)
    return dict(result.per_query), result.means


def comparison(scores: Any, **arguments: Any) -> Any:
    result = rw.compare(scores={"a": scores, "b": SCORES[::-1].copy()}, metrics="auc", **arguments)
    return [test.to_dict()["fisher_p"] for test in result.tests], result.tests[0].difference


def certificate(**arguments: Any) -> Any:
    found = rw.certify(objective="tpr@fpr=0.5", confidence=0.6, **arguments)
    return found.threshold, found.bound, found.tp


def ranking_data(**arguments: Any) -> Any:
    made = rw.RankingData(**arguments)
    fields = (made.X, made.y, made.query_weight, made.position, made.scores, made.groups.offsets)
    return *fields, data.normalize(made).X, data.describe(made).rows, np.unique(made.qid).size


def report(scores: Any, **arguments: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        result = rw.evaluate(Y, SCORES, QID, "auc")
        reports.write_report(path, result, scores={"a": scores}, **arguments)
        return path.stat().st_size > 0


def saddle(y: Any, scores: Any, sample_weight: Any) -> Any:
    return objectives.SaddlePoint("r@p=0.5", y, sample_weight).start(scores).gradients(scores).scores


def linear_rates(**arguments: Any) -> Any:
    found = objectives.linear_rates("r@p=0.5", **arguments)
    return found.weights, found.thresholds


def diagnosis(**arguments: Any) -> Any:
    return hash(str(objectives.diagnose("ndcg", **arguments)))


def selected(**arguments: Any) -> Any:
    pool = sampling.Pool.from_arrays(**arguments, ranker=fitted_model("RankSVM"))
    return sampling.TopRanked().select(pool, 2), sampling.Uncertainty().select(pool, 2)


def fitted(name: str) -> Any:
    def call(**arguments: Any) -> Any:
        return clone(RANKERS[name]).fit(**arguments).predict(X)

    return call


def stopped(X_valid: Any, y_valid: Any, qid_valid: Any) -> Any:
    model = clone(RANKERS["LambdaMART"]).fit(X, Y, qid=QID, eval_set=(X_valid, y_valid, qid_valid))
    return model.predict(X)


def pair_loss(loss: Any) -> Any:
    def call(**arguments: Any) -> Any:
        scores = torch.from_numpy(SCORES.copy()).requires_grad_()
        value = loss(scores, **arguments)
        value.backward()
        return value, scores.grad

    return call


def rate_loss(targets: Any, sample_weight: Any) -> Any:
    loss = losses.RecallAtPrecisionLoss(0.5)
    logits = torch.from_numpy(SCORES.copy()).requires_grad_()
    value = loss(logits, targets, sample_weight)
    value.backward()
    return value, logits.grad


def clicks(scores: Any) -> Any:
    return data.simulate_clicks(rw.RankingData(X, Y, QID), scores, sessions=2, top=3).clicked


class Model:
    """What `as_features` sets the features of."""


@cache
def fitted_model(name: str) -> Any:
    """The ranker of that name, or the classifier, fitted when a case first asks for it."""
    if name == "RateClassifier":
        return clone(RATES).fit(X, Y > 0)
    ranker = clone(RANKERS[name])
    return ranker.fit(X, Y) if name == "AUCSVM" else ranker.fit(X, Y, qid=QID)


def predicted(name: str) -> Any:
    return lambda X: fitted_model(name).predict(X)


def scored(name: str) -> Any:
    return lambda **arguments: fitted_model(name).score(**arguments)


def explained(name: str) -> Any:
    return lambda X: fitted_model(name).explain(X, 0, 1).difference


def cases() -> list[Case]:
    """All of them."""
    rows = {"y": Y, "scores": SCORES, "qid": QID}
    metric = metrics.parse("ndcg")
    listed = [
        Case("evaluate", evaluation, {**rows, "query_weight": QUERY_WEIGHT}),
        Case(
            "evaluate by doc_ids", lambda **a: evaluation(**a, ties="docid"), {**rows, "doc_ids": SCORES[::-1].copy()}
        ),
        Case("compare", comparison, {**rows, "query_weight": QUERY_WEIGHT}),
        Case("certify", certificate, {"y": Y, "scores": SCORES, "thresholds": np.array([20.0, 12.0, 5.0])}),
        Case(
            "thresholds_to_try",
            lambda **a: metrics.thresholds_to_try(objective="r@p=0.5", **a),
            {"y": Y, "scores": SCORES},
        ),
        Case("hinge_rank_loss", metrics.hinge_rank_loss, rows),
        Case("auc_lower_bound", metrics.auc_lower_bound, rows),
        Case(
            "micro_precision",
            metrics.micro_precision,
            {"y": Y, "predicted": Y[::-1].copy(), "classes": np.array([1.0, 2.0])},
        ),
        Case("macro_precision", metrics.macro_precision, {"y": Y, "predicted": Y[::-1].copy()}),
        Case("Metric.value", metric.value, {"ranked": Y, "ideal": np.sort(Y)[::-1].copy()}),
        Case("Metric.tied_value", metric.tied_value, {"ranked": Y, "runs": np.array([0.0, 3.0, 24.0])}),
        Case(
            "Metric.swap_delta",
            lambda **a: np.ravel(metric.swap_delta(**a)),
            {"ranked": Y, "i": np.array([0.0, 1.0]), "j": np.array([2.0, 3.0])},
        ),
        Case("Metric.best_order", metric.best_order, {"labels": Y}),
        Case("Metric.for_labels", lambda labels: metrics.parse("mauc").for_labels(labels).shares, {"labels": Y}),
        Case("QueryGroups.from_qid", lambda qid: data.QueryGroups.from_qid(qid).offsets, {"qid": QID}),
        Case(
            "QueryGroups.from_sizes", lambda sizes: data.QueryGroups.from_sizes(sizes).offsets, {"sizes": QUERY_WEIGHT}
        ),
        Case(
            "RankingData",
            ranking_data,
            {"X": X, "y": Y, "qid": QID, "query_weight": QUERY_WEIGHT, "position": WEIGHT, "scores": SCORES},
        ),
        Case(
            "RankingData.rows", lambda keep: rw.RankingData(X, Y, QID).rows(keep).y, {"keep": np.array([0.0, 3.0, 5.0])}
        ),
        Case("simulate_clicks", clicks, {"scores": SCORES}),
        Case(
            "lambda_gradients",
            lambda **a: rw.lambda_gradients("ndcg@3", **a),
            {**rows, "sample_weight": WEIGHT, "query_weight": QUERY_WEIGHT},
        ),
        Case("diagnose", diagnosis, {"y": Y[:6], "scores": SCORES[:6]}),
        Case("SaddlePoint", saddle, {"y": (Y > 0) * 1.0, "scores": SCORES, "sample_weight": WEIGHT}),
        Case("linear_rates", linear_rates, {"X": X, "y": (Y > 0) * 1.0, "sample_weight": WEIGHT}, 1e-6),
        Case("as_features", lambda X: as_features(Model(), X, fitting=True), {"X": X}),
        Case("write_report", report, {"y": Y, "scores": SCORES, "qid": QID}),
        Case("Pool.from_arrays", selected, {"X": X, "y": np.where(np.arange(N) % 3 == 0, -1.0, Y), "qid": QID}),
        Case("eval_set", stopped, {"X_valid": X, "y_valid": Y, "qid_valid": QID}),
        Case(
            "LambdaLoss",
            pair_loss(losses.LambdaLoss("ndcg")),
            {"labels": Y, "qid_or_lengths": QID, "sample_weight": WEIGHT, "query_weight": QUERY_WEIGHT},
            CLOSE,
        ),
        Case(
            "RankNetLoss",
            pair_loss(losses.RankNetLoss()),
            {"labels": Y, "qid_or_lengths": QID, "sample_weight": WEIGHT, "query_weight": QUERY_WEIGHT},
            CLOSE,
        ),
        Case("RateLoss", rate_loss, {"targets": (Y > 0) * 1.0, "sample_weight": WEIGHT}, CLOSE),
    ]
    for name in RANKERS:
        arguments = {"X": X, "y": Y, "sample_weight": WEIGHT} | (
            {} if name == "AUCSVM" else {"qid": QID, "query_weight": QUERY_WEIGHT}
        )
        listed.append(Case(f"{name}.fit", fitted(name), arguments, 1e-4))
        listed.append(Case(f"{name}.predict", predicted(name), {"X": X}, 1e-6))
        judged = {"X": X, "y": Y, "sample_weight": WEIGHT} | ({} if name == "AUCSVM" else {"qid": QID})
        listed.append(Case(f"{name}.score", scored(name), judged, CLOSE))
        if hasattr(RANKERS[name], "explain"):
            listed.append(Case(f"{name}.explain", explained(name), {"X": X}, 1e-6))
    listed.append(Case("RateClassifier.predict", predicted("RateClassifier"), {"X": X}))
    return listed
