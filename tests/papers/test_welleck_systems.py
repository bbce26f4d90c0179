"""Welleck 2016's experiment on stand-ins: which settings are chosen, which scores are judged, and what is written."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from benchmarks.papers import welleck

systems = welleck.sys.modules["papers.welleck_systems"]


def made(seed: int, queries: int = 4) -> rw.RankingData:
    random = np.random.default_rng(seed)
    y = np.tile([0.0, 1.0, 2.0, 0.0], queries)
    return rw.RankingData(y[:, None] + random.normal(size=(y.size, 2)), y, np.repeat(np.arange(queries), 4))


FOLDS = [tuple(made(3 * fold + part) for part in range(3)) for fold in range(2)]


class OneFeature:
    """Ranks by a feature, and says how good that was on the validation part."""

    def __init__(self, metric: str = "", learning_rate: float = 0.0, **settings: Any) -> None:
        self.learning_rate, self.settings = learning_rate, settings

    def fit(self, train: Any, eval_set: Any) -> OneFeature:
        self.best_score_ = -abs(self.learning_rate - 0.5)
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0]


def test_the_rate_is_the_best_on_validation(monkeypatch: Any) -> None:
    monkeypatch.setattr(systems.rw, "LambdaMART", OneFeature)
    model, rate = systems.plain("mauc", *FOLDS[0][:2], quick=False)
    assert rate == 0.5
    assert model.settings["norm"] is None
    assert (model.settings["surrogate"], model.settings["split_noise"]) == ("swap", 0.0)
    assert systems.RATES == (0.1, 0.25, 0.5, 0.9)


def test_penalties_are_those_of_svm_perf() -> None:
    """SVM-Perf counts swapped pairs in percent, so that its c is C/100."""
    assert [C / 100 for C in systems.PENALTIES] == [0.1, 1, 10, 100]


@pytest.mark.parametrize("standardize", [False, True])
def test_the_svm_is_a_model_per_grade(standardize: bool) -> None:
    model, C = systems.svm("mauc", standardize, *FOLDS[0][:2])
    assert model.grades_.tolist() == [1, 2]
    assert C in systems.PENALTIES
    np.testing.assert_allclose(model.coef_, model.coefs_[0] + 2 * model.coefs_[1])


def test_lambdas_of_trees_are_as_printed() -> None:
    """The leaves of a tree are the Newton steps Σλ/Σw of (19), from scores that are all different."""
    train = made(0, queries=20)
    start = np.random.default_rng(1).normal(size=len(train))
    settings = {**systems.PLAIN, "n_estimators": 1, "learning_rate": 1.0, "min_sum_hessian_in_leaf": 1e-6}
    values = rw.LambdaMART("mauc", **settings).fit(train, init_score=start).predict(train.X)
    gradient, hessian = rw.lambda_gradients("mauc", train.y, start, train.qid, norm=None)
    leaves = np.unique(values)
    assert leaves.size > 2
    steps = [-gradient[values == leaf].sum() / hessian[values == leaf].sum() for leaf in leaves]
    np.testing.assert_allclose(leaves, steps, rtol=1e-5)


def test_queries_of_the_same_name_in_two_folds_are_two() -> None:
    found = systems.score(FOLDS, {"one": lambda train, valid: (OneFeature(), 0.1)})
    assert np.unique(found.qid).size == 8
    np.testing.assert_array_equal(found.scores["one"][:16], FOLDS[0][2].X[:, 0])
    assert found.fold.tolist() == [0] * 16 + [1] * 16
    assert found.picked["one"] == [0.1, 0.1]


def test_results_are_means_intervals_and_paired_tests(monkeypatch: Any, tmp_path: Any) -> None:
    names = [*systems.systems("mauc")]
    stubs = {name: lambda train, valid, k=k: (Column(k % 2), None) for k, name in enumerate(names)}
    monkeypatch.setattr(welleck, "systems", lambda metric, quick: stubs)
    monkeypatch.setattr(welleck.harness, "RESULTS", tmp_path)
    found = welleck.measure(FOLDS, "mauc")
    y, qid = np.concatenate([fold[2].y for fold in FOLDS]), np.repeat(np.arange(8), 4)
    scores = np.concatenate([fold[2].X[:, 0] for fold in FOLDS])
    expected = rw.evaluate(y, scores, qid, "mauc auc[2]")
    row = found["systems"][names[0]]
    assert row["mauc"]["mean"] == expected["mauc"]
    assert row["auc[2]"]["mean of folds"] == pytest.approx(expected["auc[2]"])
    ours, raw = row["p-micro@3, empty=0"]["mean"], found["systems"][names[-2]]["p-micro@3, empty=0"]["mean"]
    tests = {(test["a"], test["b"], test["metric"]): test for test in found["tests"]}
    assert tests[names[0], names[-2], "p-micro@3, empty=0"]["difference"] == pytest.approx(ours - raw)
    for name in ("first", "second", "first"):
        welleck.keep(name, found)
    assert list(json.loads((tmp_path / "welleck.json").read_text())["data"]) == ["first", "second"]


class Column(OneFeature):
    """Ranks by another feature."""

    def __init__(self, column: int) -> None:
        self.column = column

    def predict(self, X: Any) -> Any:
        return X[:, self.column]
