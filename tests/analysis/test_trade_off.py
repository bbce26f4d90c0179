"""The trade-off between two metrics: what is trained, what is told of it, and what it looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.analysis import TradeOff
from rankwise.data import web
from rankwise.errors import DataError
from rankwise.reports import write_picture, write_report

TREES = rw.LambdaMART(n_estimators=6, num_leaves=4, min_child_samples=5, random_state=0, n_jobs=1)


@pytest.fixture(scope="module")
def parts() -> list[rw.RankingData]:
    return [web(queries=30, documents=12, features=5, seed=seed) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def found(parts: list[rw.RankingData]) -> TradeOff:
    train, valid, test = parts
    return rw.trade_off(TREES, train, test, "ndcg@5 auc", eval_set=valid, weights=(0.5, 0.1))


def test_models_are_those_trained_on_each_sum(found: TradeOff, parts: list[rw.RankingData]) -> None:
    train, valid, test = parts
    assert found.weights == (1.0, 0.5, 0.1, 0.0)
    assert found.names == ["ndcg@5", "0.5*ndcg@5 + 0.5*auc", "0.1*ndcg@5 + 0.9*auc", "auc"]
    for name, model in zip(found.names, found.models, strict=True):
        alone = rw.LambdaMART(**(TREES.get_params() | {"metric": name})).fit(train, eval_set=valid)
        np.testing.assert_array_equal(found.scores[name], alone.predict(test))
        assert model.best_score_ == alone.best_score_
        expected = rw.evaluate(test, alone.predict(test), metrics="ndcg@5 auc")
        assert found.comparison.evaluations[name].means == expected.means
    assert TREES.metric == "ndcg@10"  # clones are trained


def test_differences_to_the_ends_are_paired_and_turn_round(found: TradeOff) -> None:
    name = found.names[1]
    test = found.difference(name, "auc", "ndcg@5")
    assert test is not None
    values = [found.comparison.evaluations[system].per_query["ndcg@5"] for system in (name, "auc")]
    assert test.difference == pytest.approx(np.nanmean(values[0] - values[1]))
    assert test.interval[0] <= test.difference <= test.interval[1]
    back = found.difference("auc", name, "ndcg@5")
    assert back is not None
    assert (back.difference, back.interval) == (-test.difference, (-test.interval[1], -test.interval[0]))
    assert (back.wins, back.losses) == (test.losses, test.wins)
    assert found.difference("auc", "auc", "auc") is None


def with_means(*means: tuple[float, float]) -> TradeOff:
    """A trade-off whose models have these values on one query."""
    y, evaluations = [1.0, 0.0], {}
    for number, (first, second) in enumerate(means):
        evaluation = rw.evaluate(y, y, metrics=["auc", "mrr"])
        evaluation.per_query["auc"][:], evaluation.per_query["mrr"][:] = first, second
        evaluations[str(number)] = evaluation
    weights = tuple(np.linspace(1, 0, len(means)))
    scores = {name: np.zeros(2) for name in evaluations}
    return TradeOff(("auc", "mrr"), weights, rw.Comparison(evaluations, []), scores, [])


def test_the_front_is_what_no_other_beats() -> None:
    assert with_means((0.9, 0.1), (0.8, 0.8), (0.7, 0.7), (0.1, 0.9)).on_front == [True, True, False, True]
    assert with_means((0.9, 0.5), (0.8, 0.5)).on_front == [True, False]
    assert with_means((0.9, 0.5), (0.9, 0.5 + 1e-15)).on_front == [True, True]  # equal but for rounding


def test_table_and_json(found: TradeOff) -> None:
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["1", "0.5", "0.1", "0"]
    told = json.loads(json.dumps(found.to_dict()))
    assert told["metrics"] == ["ndcg@5", "auc"]
    point = told["points"][1]
    assert (point["weight"], point["trained_on"]) == (0.5, "0.5*ndcg@5 + 0.5*auc")
    low, high = point["values"]["auc"]["interval"]
    assert low <= point["values"]["auc"]["mean"] <= high
    assert set(point["differences"]) == {"ndcg@5", "auc"}
    assert told["points"][0]["differences"]["ndcg@5"]["auc"] is None


def test_the_report_has_the_curve(found: TradeOff, parts: list[rw.RankingData], tmp_path: Path) -> None:
    page = write_report(tmp_path / "page.html", found.comparison, parts[2], found.scores, trade_off=found).read_text()
    assert "<h2>Trade-off between ndcg@5 and auc</h2>" in page
    assert f"{found.means[1][0]:.4f} and {found.means[1][1]:.4f}" in page
    assert page.count("<tr>") > 4 + len(found.names)
    without = write_report(tmp_path / "plain.html", found.comparison, parts[2], found.scores).read_text()
    assert "Trade-off" not in without


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_pictures_are_whole_and_the_same(found: TradeOff, suffix: str, tmp_path: Path) -> None:
    first, again = (write_picture(tmp_path / f"{name}{suffix}", found) for name in ("first", "again"))
    assert first.read_bytes() == again.read_bytes() != b""
    with pytest.raises(DataError, match=r"must end in \.png or \.svg"):
        write_picture(tmp_path / "curve.txt", found)


def test_a_ranker_that_takes_no_notice_of_the_metric_is_noted(parts: list[rw.RankingData]) -> None:
    same = rw.trade_off(rw.RankSVM(), parts[0], parts[2], "map auc", weights=2)
    assert same.notes == ("all models are the same: the metric plays no part in how RankSVM is trained here",)


def test_callbacks_count_models(parts: list[rw.RankingData]) -> None:
    told: list[int] = []
    rw.trade_off(rw.RankSVM(), parts[0], parts[2], weights=3, callbacks=[lambda number, _: told.append(number)])
    assert told == [1, 2, 3]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "three metrics": ({"metrics": "auc map wta"}, "between two metrics, got auc, map, wta"),
    "one metric": ({"metrics": ["auc", "auc"]}, "between two metrics, got auc"),
    "one weight": ({"weights": 1}, "weights must be a whole number from 2"),
    "a weight above 1": ({"weights": (0.5, 1.5)}, "from 0 to 1, got 1.5"),
    "no metric": ({"estimator": rw.RateClassifier()}, "must have a parameter metric, got RateClassifier"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_a_sentence(case: str, parts: list[rw.RankingData]) -> None:
    given, told = REFUSED[case]
    with pytest.raises(DataError, match=told):
        rw.trade_off(**({"estimator": TREES, "train": parts[0], "test": parts[2]} | given))  # type: ignore[arg-type]
