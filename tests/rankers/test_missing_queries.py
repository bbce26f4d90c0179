"""Rows without queries for a model that learned from queries: refused, never judged as one list."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankwise as rw
import rankwise.data
from rankwise.errors import DataError

DATA = rankwise.data.web(queries=30, documents=12, features=4, seed=0)
TREES: dict[str, Any] = {"n_estimators": 5, "num_leaves": 4, "min_child_samples": 2, "random_state": 0}
RANKERS: dict[str, Any] = {
    "lambdamart": rw.LambdaMART("ndcg@5", **TREES),
    "ranksvm": rw.RankSVM("ndcg@5"),
    "rankboost": rw.RankBoost("ndcg@5", n_estimators=5),
    "margin": rw.MarginRanker("ndcg@5"),
    "lambdarank": rw.LambdaRank("ndcg@5", epochs=2, hidden=(4,), random_state=0),
}


def passed(qid: bool) -> dict[str, Any]:
    return {"qid": DATA.qid} if qid else {}


@pytest.mark.parametrize("name", RANKERS)
def test_a_score_without_queries_is_refused_in_words_that_name_both_ways_out(name) -> None:
    model = sklearn.clone(RANKERS[name]).fit(DATA.X, DATA.y, qid=DATA.qid)
    with pytest.raises(DataError, match=r"no qid.*30 queries; pass the query of each row as qid=, or zeros"):
        model.score(DATA.X, DATA.y)
    one_list = rw.evaluate(DATA.y, model.predict(DATA.X), metrics="ndcg@5")["ndcg@5"]
    assert model.score(DATA.X, DATA.y, qid=np.zeros(len(DATA.y))) == one_list
    assert model.score(DATA) == model.score(DATA.X, DATA.y, qid=DATA.qid) != one_list


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("entry", [(DATA.X, DATA.y), (DATA.X, DATA.y, None)], ids=["pair", "None"])
def test_an_eval_set_without_queries_is_refused(name, entry) -> None:
    for eval_set in (entry, [entry]):
        with pytest.raises(DataError, match=r"eval_set has no qid.*as \(X, y, qid\), or zeros"):
            sklearn.clone(RANKERS[name]).fit(DATA, eval_set=eval_set)


def test_a_model_that_was_saved_refuses_too(tmp_path) -> None:
    rw.save(rw.RankSVM("ndcg@5").fit(DATA), tmp_path / "m.rw")
    with pytest.raises(DataError, match="no qid"):
        rw.load(tmp_path / "m.rw").score(DATA.X, DATA.y)


@pytest.mark.parametrize("name", RANKERS)
def test_one_list_needs_no_queries(name) -> None:
    model = sklearn.clone(RANKERS[name]).fit(DATA.X, DATA.y, eval_set=(DATA.X, DATA.y))
    assert 0 <= model.score(DATA.X, DATA.y) <= 1


def test_a_long_list_for_a_metric_of_few_ranks_is_worth_a_word(caplog) -> None:
    rw.RankSVM("ndcg@5").fit(DATA.X, DATA.y)
    assert "all 355 rows are one list, of which ndcg@5 counts the first 5 alone; pass qid" in caplog.text
    caplog.clear()
    rw.RankSVM("auc").fit(DATA.X, DATA.y)
    rw.RankSVM("ndcg@5").fit(DATA)
    assert not caplog.text


def by_hand(folds: int) -> list[float]:
    values = []
    for train, test in GroupKFold(folds).split(DATA.X, DATA.y, DATA.qid):
        model = rw.RankSVM("ndcg@5").fit(DATA.X[train], DATA.y[train], qid=DATA.qid[train])
        values.append(rw.evaluate(DATA.y[test], model.predict(DATA.X[test]), DATA.qid[test], "ndcg@5")["ndcg@5"])
    return values


def test_with_routing_queries_arrive_without_being_asked_for() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        values = cross_val_score(
            rw.RankSVM("ndcg@5"), DATA.X, DATA.y, params={"qid": DATA.qid, "groups": DATA.qid}, cv=GroupKFold(3)
        )
        assert values == pytest.approx(by_hand(3))
        pipeline = make_pipeline(StandardScaler(), rw.RankSVM("ndcg@5", standardize=False))
        search = GridSearchCV(pipeline, {"ranksvm__C": [0.1, 1.0]}, cv=GroupKFold(3), error_score="raise")
        nested = cross_validate(
            search, DATA.X, DATA.y, params={"qid": DATA.qid, "groups": DATA.qid}, cv=GroupKFold(2), error_score="raise"
        )
        assert np.isfinite(nested["test_score"]).all()
        search.fit(DATA.X, DATA.y, qid=DATA.qid, groups=DATA.qid)
        assert search.score(DATA.X, DATA.y, qid=DATA.qid) > 0.5
        with pytest.raises(DataError, match="no qid"):
            search.score(DATA.X, DATA.y)


def test_without_routing_there_is_an_error_or_no_figure() -> None:
    model = rw.RankSVM("ndcg@5")
    with pytest.raises(DataError, match="no qid"):
        cross_val_score(
            model, DATA.X, DATA.y, groups=DATA.qid, cv=GroupKFold(3), params={"qid": DATA.qid}, error_score="raise"
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = cross_val_score(model, DATA.X, DATA.y, groups=DATA.qid, cv=GroupKFold(3), params={"qid": DATA.qid})
    assert np.isnan(values).all()
    assert any("no qid" in str(warning.message) for warning in caught)
    search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=GroupKFold(3), error_score="raise")
    with pytest.raises(DataError, match="no qid"):
        search.fit(DATA.X, DATA.y, qid=DATA.qid, groups=DATA.qid)
    pipeline = make_pipeline(StandardScaler(), model).fit(DATA.X, DATA.y, ranksvm__qid=DATA.qid)
    with pytest.raises((DataError, ValueError), match="qid"):
        pipeline.score(DATA.X, DATA.y, qid=DATA.qid)
