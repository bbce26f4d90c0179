"""`rankwise trade-off` and `rankwise local-optimum`: tables, JSON, pictures and reports from files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankwise as rw
from tests.cli.conftest import Run
from tests.cli.test_errors import assert_one_sentence
from tests.cli.trained import SET, SMALL, make_data, make_model

SWAPS = [word.replace("surrogate=ndcg@30", "surrogate=swap") for word in SET]
TRADE_OFF = ("trade-off", "train.txt", "--test", "valid.txt", "--metrics", "ndcg@5 auc", "--weights", 3, *SWAPS)

AUTO = (*TRADE_OFF[:8], "--model", "auto", "--set", "folds=2")


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    make_data()


def test_a_trade_off_from_files(run: Run) -> None:
    result = run(*TRADE_OFF, "--valid", "test.txt", "--report", "page.html", "--picture", "curve.svg")
    assert (result.exit_code, result.stderr) == (2, result.stderr)  # test.txt has another number of features
    assert_one_sentence(result)
    result = run(*TRADE_OFF, "--report", "page.html", "--picture", "curve.svg")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("weight of ndcg@5")
    assert [line.split()[0] for line in lines[1:]] == ["1", "0.5", "0"]
    assert "Trade-off between ndcg@5 and auc" in Path("page.html").read_text()
    assert Path("curve.svg").read_text().startswith("<?xml")


def test_the_json_of_a_trade_off_is_what_python_gives(run: Run) -> None:
    told = json.loads(run(*TRADE_OFF, "--json").stdout)
    trees = rw.LambdaMART(random_state=0, **SMALL | {"surrogate": "swap"})
    found = rw.trade_off(trees, rw.read("train.txt"), rw.read("valid.txt"), "ndcg@5 auc", weights=3)
    assert told == json.loads(json.dumps(found.to_dict()))


def test_a_budget_is_shared_by_the_weights(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    budgets = []

    def fit(model: rw.AutoRanker, data: rw.RankingData) -> rw.AutoRanker:
        budgets.append(model.budget)
        model.members_, model.weights_ = {"linear": rw.RankSVM().fit(data)}, {"linear": 1.0}
        model.n_features_in_ = data.n_features
        return model

    monkeypatch.setattr(rw.AutoRanker, "fit", fit)
    assert run(*AUTO, "--budget", 60).exit_code == 0
    assert budgets == [20.0] * 3


def test_a_local_optimum_from_files(run: Run) -> None:
    make_model("m.rw")
    given = ("local-optimum", "m.rw", "train.txt", "--directions", 12)
    result = run(*given, "--picture", "rays.png")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("ndcg@10 0.")
    assert "of 12 directions" in result.stdout
    assert Path("rays.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads(run(*given, "--json", "--metric", "0.5*auc + map", "--seed", 3, "--confidence", 0.9).stdout)
    found = rw.local_optimum(
        rw.load("m.rw"), rw.read("train.txt"), "0.5*auc + map", directions=12, random_state=3, confidence=0.9
    )
    assert told == json.loads(json.dumps(found.to_dict()))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("local-optimum", "m.rw", "train.txt", "--metric", "ndgc"), "there is no metric 'ndgc'"),
        (("local-optimum", "m.rw", "train.txt", "--confidence", 1), "confidence must lie between 0 and 1"),
        (("local-optimum", "m.rw", "train.txt", "--picture", "rays.txt"), "a picture must end in .png or .svg"),
        (("local-optimum", "boost.rw", "train.txt"), "got RankBoost"),
        ((*TRADE_OFF[:5], "auc"), "a trade-off is between two metrics, got auc"),
        ((*TRADE_OFF, "--picture", "curve.txt"), "a picture must end in .png or .svg"),
        ((*TRADE_OFF, "--report", "train.txt"), "cannot be written"),
        ((*TRADE_OFF, "--budget", 9), "--budget is for --model auto"),
        ((*AUTO, "--valid", "valid.txt"), "--model auto chooses by folds of the data, got --valid"),
        ((*AUTO, "--budget", -1), "budget must be a number above 0"),
    ],
)
def test_refused_in_a_sentence(run: Run, arguments: tuple[object, ...], told: str) -> None:
    if "m.rw" in arguments:
        make_model("m.rw")
    if "boost.rw" in arguments:
        rw.save(rw.RankBoost(n_estimators=2).fit(rw.read("train.txt")), "boost.rw")
    result = run(*arguments)
    assert result.exit_code == 2
    assert_one_sentence(result)
    assert told in result.stderr


def test_a_sum_is_trained_evaluated_and_in_the_file(run: Run) -> None:
    trained = run("train", "train.txt", "--valid", "valid.txt", "--metric", "0.7*ndcg@5+0.3*auc", "-o", "s.rw", *SWAPS)
    assert trained.exit_code == 0
    assert "0.7*ndcg@5 + 0.3*auc on valid" in trained.stdout
    told = json.loads(run("info", "s.rw", "--json").stdout)
    assert told["metric"] == told["parameters"]["metric"] == "0.7*ndcg@5 + 0.3*auc"
    assert rw.load("s.rw").best_score_ == told["summary"]["best_score"]
    run("predict", "s.rw", "valid.txt", "-o", "scores.txt")
    evaluated = run("eval", "valid.txt", "--scores", "scores.txt", "--metrics", "map, 0.7*ndcg@5 + 0.3*auc", "--json")
    metrics = json.loads(evaluated.stdout)["metrics"]
    assert list(metrics) == ["map", "0.7*ndcg@5 + 0.3*auc"]
    assert metrics["0.7*ndcg@5 + 0.3*auc"]["mean"] == pytest.approx(told["summary"]["best_score"], abs=1e-12)
