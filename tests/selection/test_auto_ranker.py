"""AutoRanker: what it chooses is what the folds say, fitted to all rows; blends are plain sums."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import rankwise as rw
from rankwise.data import web
from rankwise.errors import DataError, ExportError
from rankwise.models.export import export
from rankwise.selection import portfolio
from rankwise.selection._portfolio import FAMILIES, family_of
from rankwise.selection.peers import LogisticRanker, XGBoostRanker
from tests.rankers.factories import TRAIN, VALID
from tests.selection.factories import TREES, small_auto

DATA = web(queries=24, documents=12, features=5, seed=1)


@pytest.fixture(scope="module")
def blend() -> rw.AutoRanker:
    return small_auto().fit(DATA)


def by_hand(model: rw.AutoRanker, data: rw.RankingData) -> dict[str, Any]:
    """Out-of-fold scores of each candidate, through the public function with the same folds."""
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    return {
        name: rw.cross_validate(candidate, data, "ndcg@5", folds=2, random_state=seed)
        for name, candidate in model.candidates.items()  # type: ignore[union-attr]
    }


def test_values_are_those_of_cross_validate(blend: rw.AutoRanker) -> None:
    validated = by_hand(blend, DATA)
    values = {entry.name: entry.value for entry in blend.leaderboard_}
    for name, result in validated.items():
        assert values[name] == pytest.approx(result["ndcg@5"], abs=1e-12)
        low, high = result.evaluation.interval("ndcg@5")
        entry = next(entry for entry in blend.leaderboard_ if entry.name == name)
        assert (entry.low, entry.high) == pytest.approx((low, high), abs=0.01)  # drawn in another order of queries
    spreads = {name: np.mean([_deviations(r.scores, DATA.qid)]) for name, r in validated.items()}
    mixed = np.sum([result.scores / spreads[name] for name, result in validated.items()], axis=0)
    expected = rw.evaluate(DATA, mixed, metrics="ndcg@5")["ndcg@5"]
    assert values["blend of linear + trees"] == pytest.approx(expected, abs=1e-12)
    assert blend.weights_ == pytest.approx({name: 0.5 / spread for name, spread in spreads.items()})


def _deviations(scores: Any, qid: Any) -> list[float]:
    return [scores[qid == query].std() for query in np.unique(qid)]


def test_members_are_fitted_to_all_rows_and_scores_add_up(blend: rw.AutoRanker) -> None:
    linear = rw.RankSVM("ndcg@5").fit(DATA)
    assert np.allclose(blend.members_["linear"].predict(DATA), linear.predict(DATA), rtol=1e-6)
    total = sum(weight * blend.members_[name].predict(DATA.X) for name, weight in blend.weights_.items())
    assert np.array_equal(blend.predict(DATA), total)
    rounds = sorted(chosen["n_estimators"] for chosen in by_hand(blend, DATA)["trees"].chosen)
    assert blend.members_["trees"].n_estimators == max(1, round(sum(rounds) / 2 * 2))


def test_contributions_add_up_through_the_blend(blend: rw.AutoRanker) -> None:
    scores = blend.predict(DATA)
    for i, j in ((0, 7), (30, 3)):
        why = blend.explain(DATA, i, j)
        assert why.difference == pytest.approx(scores[i] - scores[j])
        assert why.contributions.sum() == pytest.approx(why.difference)
        parts = [w * blend.members_[n].explain(DATA.X, i, j).contributions for n, w in blend.weights_.items()]
        assert np.allclose(why.contributions, np.sum(parts, axis=0))


def test_other_formats_than_onnx_refuse_a_blend_in_a_sentence(blend: rw.AutoRanker, tmp_path: Any) -> None:
    for to in ("xgboost-json", "solr", "ranklib", "vespa", "lightgbm"):
        with pytest.raises(DataError, match=f"{to} cannot express a blend of several models, got a model of kind auto"):
            export(blend, tmp_path / "m.json", to=to)
    one = small_auto(candidates={"trees": rw.LambdaMART("ndcg@5", **TREES)}).fit(DATA)
    for to, name in (("lightgbm", "m.txt"), ("xgboost-json", "m.json"), ("onnx", "m.onnx")):
        comparison = export(one, tmp_path / name, to=to, check=DATA)
        assert comparison is not None
        assert comparison.agrees


def test_a_wrong_weight_is_noticed_in_the_export(blend: rw.AutoRanker, tmp_path: Any) -> None:
    wrong = clone(blend).fit(DATA)
    function = wrong.to_score_function()
    wrong.weights_["linear"] *= 1.01
    wrong.to_score_function = lambda: function
    with pytest.raises(ExportError, match="does not score as the model does"):
        export(wrong, tmp_path / "m.onnx", to="onnx", check=DATA)


def test_a_candidate_that_is_surely_better_stays_alone() -> None:
    truth = rw.RankingData(np.column_stack([DATA.y, np.random.default_rng(0).normal(size=len(DATA))]), DATA.y, DATA.qid)
    weak = rw.LambdaRank("ndcg@5", epochs=1, learning_rate=1e-9, random_state=3)
    model = small_auto(candidates={"linear": rw.RankSVM("ndcg@5"), "net": weak}).fit(truth)
    assert list(model.weights_.items()) == [("linear", 1.0)]
    assert model.best_score_ == 1.0
    first = next(iter(model.leaderboard_))
    assert first.name == "linear"
    assert "ahead of the best blend (p" in first.outcome


class Backwards(rw.RankSVM):
    def predict(self, X: Any) -> Any:
        return -super().predict(X)


def test_what_is_surely_behind_its_family_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_auto(candidates={"good": rw.RankSVM("ndcg@5"), "bad": Backwards("ndcg@5")}, folds=4)
    entries = {entry.name: entry for entry in model.fit(TRAIN).leaderboard_}
    assert entries["bad"].fits == 4  # as a family of its own it may still help in a blend
    monkeypatch.setitem(FAMILIES, Backwards, "linear")
    entries = {entry.name: entry for entry in model.fit(TRAIN).leaderboard_}
    assert (entries["bad"].fits, entries["bad"].value) == (2, None)
    assert entries["bad"].outcome.startswith("given up after 2 folds: ")
    assert "behind good (p <0.0001)" in entries["bad"].outcome


def test_what_cannot_be_fitted_is_said() -> None:
    X = DATA.X.copy()
    X[::9, 0] = np.nan
    model = small_auto().fit(X, DATA.y, qid=DATA.qid)
    outcomes = {entry.name: entry.outcome for entry in model.leaderboard_}
    assert outcomes["linear"].startswith("not possible: RankSVM needs every feature of every row, got NaN")
    assert list(model.weights_) == ["trees"]
    with pytest.raises(DataError, match="no candidate could be fitted; the first was not possible: RankSVM needs"):
        small_auto(candidates={"linear": rw.RankSVM()}).fit(X, DATA.y, qid=DATA.qid)


def test_categories_are_for_trees_alone() -> None:
    rng = np.random.default_rng(0)
    shop = rng.choice(["a", "b", "c"], len(TRAIN))
    frame = pd.DataFrame({"x": TRAIN.X[:, 0], "shop": pd.Categorical(shop)})
    model = small_auto().fit(frame, TRAIN.y, qid=TRAIN.qid)
    outcomes = {entry.name: entry.outcome for entry in model.leaderboard_}
    assert outcomes["linear"] == "not possible: RankSVM needs numbers, got categories"
    assert model.members_["trees"].categorical_feature == [1]
    assert model.explain(frame, 0, 1).values[1] == (shop[0], shop[1])


def test_weights_of_rows_and_queries_reach_the_candidates() -> None:
    weight = np.random.default_rng(0).random(len(DATA))
    by_query = np.random.default_rng(1).random(24)
    model = small_auto(candidates={"linear": rw.RankSVM("ndcg@5")})
    model.fit(DATA.X, DATA.y, qid=DATA.qid, sample_weight=weight, query_weight=by_query)
    alone = rw.RankSVM("ndcg@5").fit(DATA.X, DATA.y, qid=DATA.qid, sample_weight=weight, query_weight=by_query)
    assert np.allclose(model.predict(DATA), alone.predict(DATA), rtol=1e-6)
    unweighted = small_auto(candidates={"linear": rw.RankSVM("ndcg@5")}).fit(DATA)
    assert unweighted.best_score_ != model.best_score_


def test_one_list_of_two_classes_has_plain_losses_too() -> None:
    one = rw.RankingData(TRAIN.X, TRAIN.y > 1, None)
    names = set(portfolio("auc", two_classes=True)) - set(portfolio("auc"))
    assert names == {"logistic, C=100", "logistic, C=1", "log loss, 8 leaves", "log loss, 31 leaves"}
    model = rw.AutoRanker("auc", folds=2, max_fits=16, random_state=0, n_jobs=1).fit(one)
    tried = {entry.name: entry for entry in model.leaderboard_}
    assert tried["logistic, C=1"].fits == 2
    assert model.score(rw.RankingData(VALID.X, VALID.y > 1, None)) > 0.6
    assert family_of(LogisticRanker()) == family_of(rw.RankSVM()) == "linear"


def test_a_member_of_another_library_is_not_saved(tmp_path: Any) -> None:
    pytest.importorskip("xgboost")
    model = small_auto(candidates={"xgboost": XGBoostRanker("ndcg@5", n_estimators=3, n_jobs=1)}).fit(DATA)
    assert model.score(DATA) > 0.4
    with pytest.raises(DataError, match=r"the chosen 'xgboost' is a XGBoostRanker, which a \.rw file cannot hold"):
        rw.save(model, tmp_path / "m.rw")


def test_what_it_says(blend: rw.AutoRanker, tmp_path: Any) -> None:
    lines = str(blend.leaderboard_).splitlines()
    assert lines[0].split() == ["candidate", "ndcg@5", "95%", "interval", "CPU", "s", "outcome"]
    assert lines[1].startswith("blend of linear + trees")
    plain = json.loads(json.dumps(blend.leaderboard_.to_dict(), allow_nan=False))
    assert [entry["name"] for entry in plain] == [entry.name for entry in blend.leaderboard_]
    rw.save(blend, tmp_path / "m.rw")
    assert rw.load(tmp_path / "m.rw").leaderboard_ == blend.leaderboard_


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match="budget must be a number above 0"):
        rw.AutoRanker(budget=0).fit(DATA)
    with pytest.raises(DataError, match="candidates must have at least one ranker, got none"):
        rw.AutoRanker(candidates={}).fit(DATA)
    with pytest.raises(DataError, match="nothing to learn"):
        rw.AutoRanker().fit(DATA.X, np.ones(len(DATA)), qid=DATA.qid)
