"""Who has what: every cell of the table is a call that was made, not an opinion.

    python benchmarks/peers.py

A package has a thing if one of the calls below works with it as it comes; calls of the peers are those of their
documentation, and where there is none, what a user would try. (CatBoost takes options that it does not know without
a word, so none of its calls is one.) A package that is not installed is left out. Results: results/peers.json.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from harness import machine, write
from rich.console import Console
from rich.table import Table

random = np.random.default_rng(0)
X, y = random.random((60, 3)), random.integers(0, 2, 60)
QID, SIZES = np.repeat(np.arange(6), 10), [10] * 6
POSITION = np.tile(np.arange(10), 6)
FOLDER = Path(tempfile.mkdtemp())
Probe = Callable[[], Any]


def lightgbm(objective: str, **more: Any) -> Any:
    import lightgbm as library

    data = library.Dataset(X, y, group=SIZES, **more)
    return library.train({"objective": objective, "verbose": -1}, data, 2)


def xgboost(objective: str, **parameters: Any) -> Any:
    import xgboost as library

    return library.train({"objective": objective, **parameters}, library.DMatrix(X, y, qid=QID), 2)


def catboost(loss: str) -> Any:
    import catboost as library

    quiet = {"iterations": 2, "logging_level": "Silent", "allow_writing_files": False}
    return library.CatBoost({"loss_function": loss, **quiet}).fit(library.Pool(X, y, group_id=QID))


def libauc(loss: str) -> Any:
    return getattr(import_module("libauc.losses"), loss)


def rankwise(metric: str, **more: Any) -> Any:
    import rankwise as rw

    return rw.LambdaMART(metric, n_estimators=2, **more).fit(X, y, qid=QID)


def ranx_tests() -> Any:
    from ranx import Qrels, Run, compare

    qrels = Qrels({f"q{query}": {"a": 1, "b": 0} for query in range(3)})
    runs = [Run({f"q{query}": {"a": score, "b": 1.0} for query in range(3)}, name=name) for name, score in RUNS]
    return compare(qrels, runs, metrics=["ndcg"], stat_test="student")


RUNS = (("one", 2.0), ("two", 0.5))


def rankwise_tests() -> Any:
    import rankwise as rw

    return rw.compare(rw.RankingData(X, y, QID), {"one": X[:, 0], "two": X[:, 1]}, metrics="ndcg@10").tests[0].fisher_p


def rankwise_rate() -> Any:
    import rankwise as rw

    return rw.RateClassifier("r@p=0.6", model="linear").fit(X, y)


def rankwise_certificate() -> Any:
    import rankwise as rw

    return rw.certify(y, X[:, 0], "r@p=0.1")


def rankwise_sampler() -> Any:
    import rankwise as rw

    data = rw.RankingData(X, y, QID)
    return rw.simulate(data, data, "lookahead", rounds=1, per_query=1, seeds=1, start=(1, 2), n_jobs=1)


def saved(model: Any) -> Any:
    """A file in a documented format that is data alone, which another program can read."""
    path = FOLDER / "model.json"
    model.save_model(str(path), **({"format": "json"} if "catboost" in type(model).__module__ else {}))
    return path.read_text()


def rankwise_file() -> Any:
    import rankwise as rw

    model = rankwise("auc")
    rw.save(model, FOLDER / "model.rw")
    return rw.load(FOLDER / "model.rw").predict(X)


def rankwise_clicks() -> Any:
    import rankwise as rw

    model = rw.LambdaMART("ndcg@10", n_estimators=2)
    return model.fit(X, y, qid=QID, position=POSITION).propensities_


PROBES: dict[str, dict[str, Sequence[Probe]]] = {
    "trains on NDCG": {
        "rankwise": [lambda: rankwise("ndcg@10")],
        "LightGBM": [lambda: lightgbm("lambdarank")],
        "XGBoost": [lambda: xgboost("rank:ndcg")],
        "CatBoost": [lambda: catboost("YetiRank:mode=NDCG")],
        "LibAUC": [lambda: libauc("NDCGLoss")],
    },
    "on MAP": {
        "rankwise": [lambda: rankwise("map")],
        "LightGBM": [lambda: lightgbm("map"), lambda: lightgbm("rank_map")],
        "XGBoost": [lambda: xgboost("rank:map")],
        "CatBoost": [lambda: catboost("YetiRank:mode=MAP")],
        "LibAUC": [lambda: libauc("APLoss")],
    },
    "on MRR or ERR": {
        "rankwise": [lambda: rankwise("mrr")],
        "LightGBM": [lambda: lightgbm("mrr"), lambda: lightgbm("err")],
        "XGBoost": [lambda: xgboost("rank:mrr"), lambda: xgboost("rank:err")],
        "CatBoost": [lambda: catboost("YetiRank:mode=MRR")],
        "LibAUC": [lambda: libauc("MRRLoss"), lambda: libauc("ERRLoss")],
    },
    "on AUC": {
        "rankwise": [lambda: rankwise("auc")],
        "LightGBM": [lambda: lightgbm("auc")],
        "XGBoost": [lambda: xgboost("rank:auc"), lambda: xgboost("binary:auc")],
        "CatBoost": [lambda: catboost("AUC"), lambda: catboost("YetiRank:mode=AUC"), lambda: catboost("QueryAUC")],
        "LibAUC": [lambda: libauc("AUCMLoss")],
    },
    "on a weighted sum of metrics": {
        "rankwise": [lambda: rankwise("0.7*ndcg@10 + 0.3*auc")],
        "LightGBM": [lambda: lightgbm("lambdarank,map")],
        "XGBoost": [lambda: xgboost("rank:ndcg,rank:map")],
        "CatBoost": [lambda: catboost("YetiRank:mode=NDCG,YetiRank:mode=MAP")],
        "LibAUC": [lambda: libauc("WeightedSumLoss")],
    },
    "for recall at a precision": {
        "rankwise": [rankwise_rate],
        "LightGBM": [lambda: lightgbm("recall_at_precision")],
        "XGBoost": [lambda: xgboost("binary:recall_at_precision")],
        "CatBoost": [lambda: catboost("RecallAtPrecision")],
        "LibAUC": [lambda: libauc("RecallAtPrecisionLoss")],
    },
    "from clicks, by position": {
        "rankwise": [rankwise_clicks],
        "LightGBM": [lambda: lightgbm("lambdarank", position=POSITION)],
        "XGBoost": [lambda: xgboost("rank:ndcg", lambdarank_unbiased=True)],
    },
    "on clusters (Dask)": {
        "rankwise": [lambda: import_module("rankwise.rankers.trees.dask")],
        "LightGBM": [lambda: import_module("lightgbm.dask").DaskLGBMRanker],
        "XGBoost": [lambda: import_module("xgboost.dask").DaskXGBRanker],
        "CatBoost": [lambda: import_module("catboost.dask")],
    },
    "tests differences of rankings": {"rankwise": [rankwise_tests], "ranx": [ranx_tests]},
    "certifies a threshold": {"rankwise": [rankwise_certificate]},
    "says what to label next": {"rankwise": [rankwise_sampler]},
    "model files that are data": {
        "rankwise": [rankwise_file],
        "LightGBM": [lambda: saved(lightgbm("lambdarank"))],
        "XGBoost": [lambda: saved(xgboost("rank:ndcg"))],
        "CatBoost": [lambda: saved(catboost("YetiRank"))],
    },
}
"""By what is asked, by package, calls of which one must work; a package without a call has nothing to try."""
PACKAGES = {"rankwise": "rankwise", "LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost"} | {
    "LibAUC": "libauc",
    "ranx": "ranx",
}


def works(probe: Probe) -> bool:
    try:
        probe()
    except Exception:  # whatever a library raises where it has no such thing
        return False
    return True


def main() -> None:
    import_module("torch")  # LibAUC and rankwise's nets
    versions = {}
    for name, distribution in PACKAGES.items():
        with suppress(PackageNotFoundError):
            versions[name] = version(distribution)
            import_module(distribution)  # one that lacks a package of its own would seem to have nothing
    rows: list[dict[str, Any]] = [
        {"asked": asked, "has": {name: any(map(works, probes.get(name, ()))) for name in versions}}
        for asked, probes in PROBES.items()
    ]
    table = Table(title="who has what")
    for column in ("", *versions):
        table.add_column(column)
    for row in rows:
        table.add_row(row["asked"], *("yes" if has else "" for has in row["has"].values()))
    Console(width=110).print(table)
    write("peers", {"versions": versions, "rows": rows, "machine": machine()})


if __name__ == "__main__":
    main()
