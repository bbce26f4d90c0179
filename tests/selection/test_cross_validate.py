"""`cross_validate` against the same done by hand."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import web
from rankwise.errors import DataError
from rankwise.metrics import _base as metrics_base
from rankwise.rankers import Ranker
from rankwise.rankers.trees import _capacity as capacity

DATA = web(queries=24, documents=12, features=5, seed=1)
ONE_LIST = rw.RankingData(DATA.X, DATA.y > 1, None)


def by_hand(estimator: Any, data: rw.RankingData, fold_of_row: Any) -> Any:
    """Scores of each row by a model of all other folds."""
    scores = np.empty(len(data))
    for fold in np.unique(fold_of_row):
        train = data.rows(fold_of_row != fold)
        scores[fold_of_row == fold] = estimator.fit(train).predict(data.rows(fold_of_row == fold))
    return scores


def test_scores_are_those_of_models_that_did_not_see_the_query() -> None:
    result = rw.cross_validate(rw.RankSVM(), DATA, "ndcg@5 auc", folds=4)
    scores = by_hand(rw.RankSVM(), DATA, result.fold_of_row)
    assert np.array_equal(result.scores, scores)
    expected = rw.evaluate(DATA, scores, metrics="ndcg@5 auc")
    assert (result["ndcg@5"], result["auc"]) == (expected["ndcg@5"], expected["auc"])
    of_fold = [
        rw.evaluate(DATA.rows(part), scores[part], metrics="auc")["auc"]
        for part in (result.fold_of_row == fold for fold in range(4))
    ]
    assert result.per_fold["auc"] == of_fold


def test_one_list_is_evaluated_fold_by_fold() -> None:
    result = rw.cross_validate(rw.RankSVM("auc"), ONE_LIST, "auc", folds=3)
    scores = by_hand(rw.RankSVM("auc"), ONE_LIST, result.fold_of_row)
    assert result["auc"] == rw.evaluate(ONE_LIST.y, scores, result.fold_of_row, "auc")["auc"]
    assert result.evaluation.per_query["auc"].size == 3


class Spy(Ranker):
    """Remembers the rows that it was given."""

    kind: ClassVar[str] = "test_spy"
    seen: ClassVar[list[tuple[set[Any], set[Any]]]] = []

    def __init__(self, metric: str = "ndcg@10", early_stopping_rounds: int | None = 5, n_estimators: int = 9) -> None:
        self.metric = metric
        self.early_stopping_rounds = early_stopping_rounds
        self.n_estimators = n_estimators

    def max_rounds(self, y: Any, qid: Any = None) -> int:
        return self.n_estimators

    def fit(self, X: Any, *, eval_set: Any = None) -> Spy:
        Spy.seen.append((set(X.qid), set() if eval_set is None else set(eval_set.qid)))
        self.best_iteration_ = len(Spy.seen)
        return self

    def predict(self, X: Any) -> Any:
        return X.X[:, 0].astype(float)

    def to_saved(self) -> Any: ...

    @classmethod
    def from_saved(cls, saved: Any) -> Any: ...


@pytest.mark.parametrize("rounds", [5, None])
def test_early_stopping_never_sees_the_queries_held_out(rounds: int | None) -> None:
    Spy.seen.clear()
    result = rw.cross_validate(Spy(early_stopping_rounds=rounds), DATA, "ndcg@5", folds=4)
    for fold, (train, stop) in enumerate(Spy.seen):
        held_out = set(DATA.qid[result.fold_of_row == fold])
        assert not held_out & (train | stop)
        assert not train & stop
        assert held_out | train | stop == set(DATA.qid)
        assert bool(stop) == (rounds is not None)
    chosen = [{"n_estimators": number} for number in (1, 2, 3, 4)]
    assert result.chosen == (chosen if rounds else [{}] * 4)


def test_trees_stop_in_every_fold_and_weights_count() -> None:
    model = rw.LambdaMART("ndcg@5", n_estimators=20, num_leaves=4, early_stopping_rounds=3, n_jobs=1, random_state=0)
    result = rw.cross_validate(model, DATA, folds=3)
    assert all(0 <= chosen["n_estimators"] <= 20 for chosen in result.chosen)
    weighted = rw.RankingData(DATA.X, DATA.y, DATA.qid, query_weight=np.arange(24) % 3)
    again = rw.cross_validate(rw.RankSVM(), weighted, "ndcg@5", folds=3)
    expected = rw.evaluate(weighted, again.scores, metrics="ndcg@5")
    assert again["ndcg@5"] == expected["ndcg@5"]


def test_what_it_says() -> None:
    calls: list[Any] = []
    result = rw.cross_validate(rw.RankSVM(C=[0.1, 1.0]), DATA, "map", folds=3, callbacks=[lambda *a: calls.append(a)])
    assert calls == [(fold + 1, {"map": value}) for fold, value in enumerate(result.per_fold["map"])]
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["folds"] == 3
    assert plain["metrics"]["map"]["mean"] == result["map"]
    assert {chosen["C"] for chosen in plain["chosen"]} <= {0.1, 1.0}
    lines = str(result).splitlines()
    assert lines[0].split() == ["metric", "mean", "95%", "interval", "queries", "left", "out"]
    assert lines[3].split() == ["fold", "map", "fit", "seconds", "C"]
    assert [line.split()[0] for line in lines[4:]] == ["1", "2", "3"]


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match=r"takes RankingData, got ndarray; pass rankwise\.RankingData"):
        rw.cross_validate(rw.RankSVM(), DATA.X)
    with pytest.raises(DataError, match="nothing to learn"):
        rw.cross_validate(rw.RankSVM(), rw.RankingData(DATA.X, np.ones(len(DATA)), DATA.qid))


def test_folds_have_the_defaults_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the rows would be few enough for symmetric trees on pairs that count alike, all of them are not."""
    for name in ("SYMMETRIC", "SMALL"):
        monkeypatch.setattr(capacity, name, getattr(capacity, name)._replace(rows=200))
    monkeypatch.setattr(metrics_base, "FEW_ROWS", 200)
    monkeypatch.setattr(capacity, "LARGE_DATA_ROWS", 200)
    short: dict[str, Any] = {"n_estimators": 3, "early_stopping_rounds": None, "random_state": 0, "n_jobs": 1}
    result = rw.cross_validate(rw.LambdaMART("auc", **short), DATA, "auc", folds=2)
    of_all_rows = rw.LambdaMART("auc", learning_rate=0.1, num_leaves=31, surrogate="swap", max_bin=127, **short)
    scores = by_hand(of_all_rows.set_params(split_noise=1.0), DATA, result.fold_of_row)
    assert np.array_equal(result.scores, scores)
