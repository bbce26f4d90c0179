"""The benchmark of what training on the metric buys: choices see no test query, and what is planted is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import image

import rankwise as rw
from benchmarks import front_picture, it_pays_data, it_pays_runs
from benchmarks import it_pays_analysis as analysis
from benchmarks.it_pays_models import Model, all_models, at_stops, running_sums, steps
from benchmarks.it_pays_picture import write_picture
from rankwise.metrics._names import EXAMPLES


def model(name: str, kind: str, trained_on: str | None = None) -> Model:
    return Model(name, kind, lambda train, seed: iter, "code", trained_on)  # type: ignore[arg-type]


MODELS = [
    model("LambdaMART, auc", "ours", "auc"),
    model("LambdaMART, ndcg@10", "ours", "ndcg@10"),
    model("as it was, auc", "before", "auc"),
    model("CatBoost YetiRank", "peer"),
]


def planted(gaps: dict[str, float]) -> dict[str, dict[str, np.ndarray]]:
    """Values of 300 queries: for both metrics those of the first model plus a gap, and a little of each model's own."""
    rng = np.random.default_rng(0)
    base = rng.uniform(0.4, 0.8, 300)
    base[7] = np.nan
    found = {}
    for row in MODELS:
        values = base + gaps.get(row.name, 0.0)
        found[row.name] = {metric: values + rng.normal(0, 0.001, 300) for metric in ("auc", "ndcg@10")}
    return found


def test_every_example_of_a_metric_is_here_or_left_out_with_a_reason() -> None:
    here, left_out = set(it_pays_data.METRICS), set(it_pays_data.LEFT_OUT)
    assert here | left_out == set(EXAMPLES)
    assert not here & left_out


def test_what_is_planted_is_found_and_no_more() -> None:
    rows = analysis.matrix(
        MODELS, ["auc", "ndcg@10"], planted({"CatBoost YetiRank": 0.05, "LambdaMART, ndcg@10": -0.03})
    )
    judged = {row["model"]: row["judged"]["auc"] for row in rows}
    assert "difference" not in judged["LambdaMART, auc"]
    assert judged["CatBoost YetiRank"]["difference"] == pytest.approx(0.05, abs=0.001)
    assert judged["LambdaMART, ndcg@10"]["difference"] == pytest.approx(-0.03, abs=0.001)
    assert judged["CatBoost YetiRank"]["p_holm"] < 0.001
    assert judged["as it was, auc"]["p_holm"] > 0.01
    assert judged["as it was, auc"]["mean"] == pytest.approx(judged["LambdaMART, auc"]["mean"], abs=0.001)


def test_bars_are_kept_where_they_should_be() -> None:
    metrics = ["auc", "ndcg@10"]
    values = planted({"CatBoost YetiRank": -0.02, "LambdaMART, ndcg@10": -0.01})
    won = analysis.bars("MQ2008", analysis.matrix(MODELS, metrics, values))
    kept = {(bar["metric"], bar["against"]): bar["kept"] for bar in won}
    assert kept["auc", "CatBoost YetiRank"]
    assert kept["auc", "all of ours"]
    assert not kept["ndcg@10", "all of ours"]  # the model on AUC is .01 better on NDCG@10 than the one trained on it
    assert not kept["auc", "as it was, auc"]  # no better than it was
    lost = analysis.bars("web", analysis.matrix(MODELS, metrics, planted({"CatBoost YetiRank": 0.01})))
    assert [bar["kept"] for bar in lost if bar["against"] == "CatBoost YetiRank"] == [False, False]
    digits = analysis.bars("digits", analysis.matrix(MODELS, metrics, planted({"LambdaMART, ndcg@10": -0.01})))
    kept = {(bar["metric"], bar["against"]): bar["kept"] for bar in digits}
    assert kept["auc", "LambdaMART, ndcg@10"]
    assert not kept["ndcg@10", "LambdaMART, auc"]


def test_values_of_a_query_are_averaged_over_seeds_and_folds_stand_in_order() -> None:
    folds = {1: [[0.5, None], [0.7, None]], 0: [[1.0], [0.0]]}
    found = analysis.mean_over_seeds(folds)  # type: ignore[arg-type]
    assert found[:2] == pytest.approx([0.5, 0.6])
    assert np.isnan(found[2])


def test_rounds_are_chosen_on_validation_rows_for_each_metric() -> None:
    """Three stops: the first is best by WTA on the validation rows, the second by AUC; test rows say the opposite."""
    y = np.array([1, 0, 0, 1, 0, 0])
    scores = {"valid": [[9, 8, 7, 1, 5, 4], [8, 9, 2, 7, 1, 0], [0, 1, 2, 0, 4, 5]], "test": [-y, y * 0.5, y]}

    def staged(X):
        return iter(np.array(scores["valid" if X[0, 0] == 0 else "test"], dtype=float))

    valid, test = (rw.RankingData(np.full((6, 1), part), y, np.zeros(6, dtype=int)) for part in (0, 1))
    stops = it_pays_runs.best_stops(staged, valid, ("auc", "wta"))
    assert stops == {"auc": 1, "wta": 0}
    values = it_pays_runs.judged_at(staged, test, stops)
    assert values["auc"].tolist() == [1.0]
    assert values["wta"].tolist() == [0.0]


@pytest.mark.parametrize("rounds", [1, 49, 50, 100, 101, 1000])
def test_stops_are_evenly_spaced_and_end_with_the_last_round(rounds: int) -> None:
    parts = steps(rounds)
    assert len(parts) <= 50
    assert [last for _, last in parts[:-1]] == [first for first, _ in parts[1:]]
    assert (parts[0][0], parts[-1][1]) == (0, rounds)
    staged = np.arange(1.0, rounds + 1)
    assert [scores.item() for scores in at_stops(staged, rounds)] == [last for _, last in parts]


def test_peers_at_a_stop_score_as_a_shorter_model_does() -> None:
    data = rw.data.polynomial(queries=10, documents=20, features=4)
    models = all_models(["auc"])
    for name in ("LightGBM lambdarank", "LambdaMART, auc"):
        full: Any
        *_, last = models[name].fit(data, 0)(data.X)
        if name == "LambdaMART, auc":
            full = rw.LambdaMART("auc", early_stopping_rounds=None, n_jobs=1, random_state=0).fit(data).predict(data)
        else:
            import lightgbm as lgb

            rows = lgb.Dataset(data.X, data.y, group=data.groups.sizes)
            full = lgb.train(
                {"objective": "lambdarank", "num_threads": 1, "seed": 0, "verbose": -1}, rows, 100
            ).predict(data.X)
        np.testing.assert_allclose(last, full, rtol=1e-9, atol=1e-9)
    assert [part.item() for part in running_sums([np.array(1.0), np.array(2.0)])] == [1.0, 3.0]


def test_a_torn_line_is_done_again_and_the_others_are_not(tmp_path: Path) -> None:
    cache = it_pays_runs.Cache(tmp_path)
    line = {"key": "a", "data": "mq2008", "model": "m", "seconds": 2.0}
    cache.add(line)
    with cache.path.open("a") as file:
        file.write('{"key": "b", "da')
    again = it_pays_runs.Cache(tmp_path)
    assert list(again.lines) == ["a"]
    again.add(line | {"key": "b"})
    assert list(it_pays_runs.Cache(tmp_path).lines) == ["a", "b"]
    assert json.loads(cache.path.read_text().splitlines()[-1])["key"] == "b"
    runs = [it_pays_runs.Run("mq2008", 0, 0, name, "code") for name in ("m", "m", "other")]
    assert again.expected_seconds(runs) == (4.0, 1)


def test_seeds_are_of_models_and_for_digits_of_the_data(tmp_path: Path) -> None:
    _, ours, _, peer = MODELS
    unseeded = Model("S", "peer", lambda *_: iter, "c", seeded=False)
    assert len(list(it_pays_runs.runs_of("mq2008", {peer.name: peer, "S": unseeded}, 2, tmp_path))) == 15
    drawn = list(it_pays_runs.runs_of("digits", {ours.name: ours, "S": unseeded}, 3, tmp_path))
    assert [(run.fold, run.seed) for run in drawn] == [(0, 0), (0, 0), (1, 1), (1, 1), (2, 2), (2, 2)]


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_a_light_and_a_dark_ground(tmp_path: Path, dark: bool) -> None:
    rows = analysis.matrix(MODELS, ["auc", "ndcg@10"], planted({"CatBoost YetiRank": 0.02}))
    path = tmp_path / "it_pays.png"
    write_picture(
        path, [{"data": "MQ2008", "metrics": ["auc", "ndcg@10"], "models": rows, "test_queries": 300}], dark=dark
    )
    ground = image.imread(path)[0, 0, :3].mean()
    assert ground < 0.1 if dark else ground == 1.0


@pytest.mark.parametrize("dark", [False, True])
def test_the_front_picture_has_ours_and_every_peer(tmp_path: Path, dark: bool) -> None:
    rows = [
        {"model": name, "kind": kind, "cpu_seconds": 1.0 + number, "judged": {"ndcg@10": {"mean": 0.5}}}
        for number, (name, kind) in enumerate(
            [("LambdaMART, ndcg@10", "ours"), ("LambdaMART, auc", "ours"), ("as it was, ndcg@10", "before"),
             ("RankSVM", "peer"), ("LightGBM lambdarank", "peer"), ("XGBoost rank:map", "peer"),
             ("CatBoost YetiRank", "peer")]
        )
    ]  # fmt: skip
    result = {"data": "MQ2008", "models": rows}
    assert [library for library, *_ in front_picture.points(result)] == list(front_picture.STYLES)
    path = tmp_path / "front.png"
    front_picture.write_picture(path, [result, result], dark=dark)
    ground = image.imread(path)[0, 0, :3].mean()
    assert ground < 0.1 if dark else ground == 1.0
