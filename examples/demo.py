"""`make demo`: search handwritten digits with trees trained on one metric or another, and judge each by all.

Real data that ships with scikit-learn: each query is an image, and 150 others are to be ranked so that those of the
same digit come first, by pixel-wise differences. The same trees are grown on the metrics of rankwise and on the losses
that people use today; every model stops on what it is trained on, on queries of its own, and new queries judge it.
Three draws of queries and images, so that luck is small.

Then the same data as if nobody had labelled it: how fast does a ranker learn if a sampler chooses what to label?
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

import rankwise as rw
from rankwise.reports import write_report
from rankwise.reports._learning_curves import write_learning_curves

QUERIES, DOCUMENTS, DRAWS = 200, 150, 3
LABELLED_QUERIES = 40
METRICS = ("auc", "ndcg@10", "map")
TREES: dict[str, Any] = {"n_estimators": 200, "learning_rate": 0.1, "num_leaves": 31}
PATIENCE = 30
OUT = Path("out")
Scores = NDArray[np.float64]
Fit = Callable[[rw.RankingData, rw.RankingData, Any], Scores]


def search_digits(part: int, draw: int = 0) -> tuple[rw.RankingData, Scores]:
    """One part of the queries with their documents: pixel-wise differences, and cosine similarities, the baseline."""
    digits = load_digits()
    rng = np.random.default_rng([draw, part])
    queries = np.random.default_rng(draw).permutation(len(digits.data))[part * QUERIES : (part + 1) * QUERIES]
    features, labels, qids, cosine = [], [], [], []
    for query in queries:
        image = digits.data[query]
        others = rng.choice(np.setdiff1d(np.arange(len(digits.data)), [query]), DOCUMENTS, replace=False)
        images = digits.data[others]
        features.append(np.abs(images - image))
        labels.append(digits.target[others] == digits.target[query])
        qids.append(np.full(DOCUMENTS, draw * len(digits.data) + query))
        cosine.append(images @ image / np.linalg.norm(images, axis=1) / np.linalg.norm(image))
    data = rw.RankingData(np.concatenate(features), np.concatenate(labels), np.concatenate(qids))
    return data, np.concatenate(cosine)


def rankwise_on(metric: str) -> Fit:
    """Trees on a metric, stopped on it."""

    def scores(train: rw.RankingData, valid: rw.RankingData, X: Any) -> Scores:
        model = rw.LambdaMART(metric, **TREES, early_stopping_rounds=PATIENCE, random_state=0)
        return model.fit(train, eval_set=valid).predict(X)

    return scores


def lightgbm_on(objective: str, metric: str) -> Fit:
    """The same trees on a loss of LightGBM's, which is imported after rankwise has set how its threads wait."""
    import lightgbm as lgb

    def scores(train: rw.RankingData, valid: rw.RankingData, X: Any) -> Scores:
        params = {"objective": objective, "metric": metric, "eval_at": [10], "seed": 0, "verbose": -1, **TREES}
        rows = [lgb.Dataset(part.X, part.y, group=part.groups.sizes) for part in (train, valid)]
        stop = lgb.early_stopping(PATIENCE, verbose=False)
        return np.asarray(lgb.train(params, rows[0], valid_sets=rows[1:], callbacks=[stop]).predict(X))

    return scores


def xgboost_on_ndcg(train: rw.RankingData, valid: rw.RankingData, X: Any) -> Scores:
    """XGBoost's trees of that size on its loss for NDCG."""
    import xgboost as xgb

    rows = [xgb.DMatrix(part.X, part.y, group=part.groups.sizes) for part in (train, valid)]
    leaves = {"grow_policy": "lossguide", "max_depth": 0, "max_leaves": TREES["num_leaves"]}
    params = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "eta": TREES["learning_rate"], **leaves}
    rounds = TREES["n_estimators"]
    stop = {"evals": [(rows[1], "valid")], "early_stopping_rounds": PATIENCE, "verbose_eval": False}
    model = xgb.train(params, rows[0], rounds, **stop)
    return np.asarray(model.predict(xgb.DMatrix(X), iteration_range=(0, model.best_iteration + 1)))


def catboost_on_yetirank(train: rw.RankingData, valid: rw.RankingData, X: Any) -> Scores:
    """CatBoost's trees of that size on its loss for ranking."""
    import catboost as cb  # type: ignore[import-untyped, unused-ignore]

    rows = [cb.Pool(part.X, part.y, group_id=part.qid) for part in (train, valid)]
    leaves = {"grow_policy": "Lossguide", "max_leaves": TREES["num_leaves"]}
    params = {"loss_function": "YetiRank", "eval_metric": "NDCG:top=10", "random_seed": 0, **leaves}
    params |= {"iterations": TREES["n_estimators"], "learning_rate": TREES["learning_rate"], "od_wait": PATIENCE}
    model = cb.CatBoost({**params, "verbose": 0, "allow_writing_files": False})
    return np.asarray(model.fit(rows[0], eval_set=rows[1]).predict(X))


def models() -> dict[str, Fit]:
    """Trees by what they are trained on; peers that need not be there are shown where they are."""
    found = {f"{metric}, rankwise": rankwise_on(metric) for metric in METRICS}
    found["lambdarank, LightGBM"] = lightgbm_on("lambdarank", "ndcg")
    found["log loss, LightGBM"] = lightgbm_on("binary", "binary_logloss")
    if find_spec("xgboost"):
        found["rank:ndcg, XGBoost"] = xgboost_on_ndcg
    if find_spec("catboost"):
        found["YetiRank, CatBoost"] = catboost_on_yetirank
    return found


def judge_digits(draws: int = DRAWS) -> tuple[rw.RankingData, dict[str, Scores]]:
    """The test queries of all draws, and every model's scores of them."""
    parts: list[rw.RankingData] = []
    scores: dict[str, list[Scores]] = {}
    for draw in range(draws):
        (train, _), (valid, _), (test, cosine) = (search_digits(part, draw) for part in range(3))
        parts.append(test)
        for name, fit in models().items():
            scores.setdefault(name, []).append(fit(train, valid, test.X))
        scores.setdefault("nothing: cosine of pixels", []).append(cosine)
    X, y, qid = (np.concatenate([getattr(part, name) for part in parts]) for name in ("X", "y", "qid"))
    return rw.RankingData(X, y, qid), {name: np.concatenate(drawn) for name, drawn in scores.items()}


def trained_by_judged(comparison: rw.Comparison) -> Table:
    """A row per model, a column per metric; in brackets the model that was trained on the judged metric."""
    table = Table("trained on", *METRICS, title="judged by", title_justify="left", box=None, pad_edge=False)
    differs = {}
    for test in comparison.tests:
        reference = f"{test.metric}, rankwise"
        if reference in (test.a, test.b) and test.fisher_p_holm < 0.05:
            other, gap = (test.a, test.difference) if test.b == reference else (test.b, -test.difference)
            differs[other, test.metric] = "▲" if gap > 0 else "▼"
    for name, evaluation in comparison.evaluations.items():
        cells = []
        for metric in METRICS:
            cell = f"{evaluation[metric]:.4f}" + "*" * (comparison.best(metric) == name)
            own = name == f"{metric}, rankwise"
            cells.append(f"[b]\\[{cell}][/b]" if own else f" {cell} {differs.get((name, metric), '')}")
        table.add_row(name, *cells)
    return table


def label_digits(train: rw.RankingData, test: rw.RankingData) -> rw.Simulation:
    """Labels chosen by Lookahead and at random: one relevant image and ten others a query first, then five a round."""
    few = train.rows(np.arange(LABELLED_QUERIES * DOCUMENTS))
    return rw.simulate(few, test, ["lookahead", "random"], rounds=10, seeds=3, metrics=["map"], n_jobs=1)


def main() -> None:
    """Train on metrics and losses, judge by metrics, write the page; then simulate labelling, and draw its curves."""
    console = Console(highlight=False)
    OUT.mkdir(exist_ok=True)
    with console.status(
        f"{DRAWS} draws: training on {QUERIES} queries, stopping on {QUERIES}, judging by {QUERIES} more"
    ):
        test, scores = judge_digits()
        comparison = rw.compare(test, scores, metrics=METRICS)
        page = write_report(OUT / "demo.html", comparison, test, scores, title="Searching handwritten digits")
    about = f"{DRAWS * QUERIES} queries × {DOCUMENTS} images, of which 10% are right"
    console.print(f"Searching handwritten digits: {about}\n")
    console.print(trained_by_judged(comparison))
    console.print("\n\\[] trained on what judges it; ▼ ▲ significantly worse, better than that; * best\n")
    with console.status("simulating labelling: 10 rounds, 3 times, by two samplers"):
        labelling = label_digits(search_digits(0)[0], search_digits(2)[0])
        picture = write_learning_curves(OUT / "labelling.png", labelling)
    console.print(f"Labelling {LABELLED_QUERIES} of these queries, five images per query and round; MAP\n")
    for sampler in labelling.samplers:
        first, *_, last = labelling.mean(sampler, "map")
        console.print(f"{sampler:10} from {first:.4f} to {last:.4f} (all labels: {labelling.full['map']:.4f})")
    console.print(f"\nLook at them: {page.resolve()} and {picture.resolve()}")


if __name__ == "__main__":
    main()
