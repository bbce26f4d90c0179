"""RankingData is taken wherever rows are, by every model, and says what arrays would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.rankers import AUCSVM, LambdaRank, MarginRanker, RankBoost, RankNet, RankSVM, SmoothRankBoost
from tests.rankers.factories import TRAIN, VALID

NAMES = list("abcdef")
TRAINING, VALIDATION = replace(TRAIN, feature_names=NAMES), replace(VALID, feature_names=NAMES)
NET: dict[str, Any] = {"hidden": (4,), "epochs": 2, "random_state": 0}
RANKERS: dict[str, Callable[[], Any]] = {
    "lambdamart": lambda: rw.LambdaMART("ndcg@5", n_estimators=5, random_state=0),
    "lambdarank": lambda: LambdaRank("ndcg@5", **NET),
    "ranknet": lambda: RankNet("ndcg@5", **NET),
    "rankboost": lambda: RankBoost("ndcg@5", n_estimators=5),
    "smoothrankboost": lambda: SmoothRankBoost("ndcg@5", n_estimators=5),
    "ranksvm": lambda: RankSVM("ndcg@5"),
    "aucsvm": lambda: AUCSVM("mauc"),
    "margin": lambda: MarginRanker("ndcg@5", epsilon=0.5),
}


def arrays(data: RankingData) -> dict[str, Any]:
    return {"y": data.y, "qid": data.qid}


@pytest.mark.parametrize("kind", RANKERS)
def test_every_ranker_learns_the_same_from_ranking_data_as_from_arrays(kind: str) -> None:
    by_arrays = RANKERS[kind]().fit(TRAIN.X, **arrays(TRAIN), eval_set=(VALID.X, VALID.y, VALID.qid))
    by_data = RANKERS[kind]().fit(TRAINING, eval_set=VALIDATION)
    listed = RANKERS[kind]().fit(TRAINING, eval_set=[VALIDATION])
    expected = by_arrays.predict(VALID.X)
    turned = replace(VALIDATION, X=VALID.X[:, ::-1], feature_names=NAMES[::-1])
    for model in (by_data, listed):
        assert model.feature_names_in_.tolist() == NAMES
        assert model.evals_result_ == by_arrays.evals_result_
        assert np.array_equal(model.predict(VALIDATION), expected)
        assert np.array_equal(model.predict(turned), expected)  # columns are found by name
        assert np.array_equal(model.predict(VALID), expected)  # or by place, where there are no names
    assert by_data.score(VALIDATION) == by_arrays.score(VALID.X, VALID.y, VALID.qid)
    assert by_data.explain(VALIDATION, 0, 1).features == NAMES


@pytest.mark.parametrize("kind", RANKERS)
def test_weights_of_queries_come_with_the_data(kind: str) -> None:
    weight = np.arange(1.0, TRAIN.groups.n_queries + 1)
    data = replace(TRAIN, query_weight=weight)
    by_arrays = RANKERS[kind]().fit(TRAIN.X, **arrays(TRAIN), query_weight=weight)
    by_data = RANKERS[kind]().fit(data)
    assert np.array_equal(by_data.predict(VALID), by_arrays.predict(VALID.X))
    metric = by_data.metric
    assert (
        by_data.score(data)
        == rw.evaluate(TRAIN.y, by_data.predict(TRAIN), TRAIN.qid, metric, query_weight=weight)[metric]
    )
    with pytest.raises(DataError, match="brings its query_weight along, got query_weight too; pass the data alone"):
        RANKERS[kind]().fit(data, query_weight=weight)


@pytest.mark.parametrize("kind", RANKERS)
def test_what_the_data_brings_is_not_passed_again(kind: str) -> None:
    for name in ("y", "qid"):
        with pytest.raises(DataError, match=f"brings its {name} along, got {name} too; pass the data alone"):
            RANKERS[kind]().fit(TRAIN, **{name: getattr(TRAIN, name)})
    model = RANKERS[kind]().fit(TRAIN)
    with pytest.raises(DataError, match="brings its y along"):
        model.score(TRAIN, TRAIN.y)
    with pytest.raises(DataError, match="a score needs labels, got y=None; pass them"):
        model.score(TRAIN.X)


@pytest.mark.parametrize("kind", [kind for kind in RANKERS if kind != "lambdamart"])
def test_positions_are_for_lambdamart(kind: str) -> None:
    clicks = replace(TRAIN, position=np.zeros(len(TRAIN)))
    with pytest.raises(DataError, match="only LambdaMART learns from clicks at positions"):
        RANKERS[kind]().fit(clicks)


def test_positions_come_with_the_data() -> None:
    position = np.random.default_rng(0).integers(1, 4, len(TRAIN))
    clicks = replace(TRAIN, y=TRAIN.y > 2, position=position)  # type: ignore[arg-type]
    by_data = RANKERS["lambdamart"]().fit(clicks)
    by_arrays = RANKERS["lambdamart"]().fit(TRAIN.X, clicks.y, qid=TRAIN.qid, position=position)
    assert by_data.positions_.tolist() == [1, 2, 3]
    assert np.array_equal(by_data.propensities_, by_arrays.propensities_)
    with pytest.raises(DataError, match="brings its position along"):
        RANKERS["lambdamart"]().fit(clicks, position=position)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["trees", "linear"])
def test_labels_above_0_are_the_positives_of_a_classifier(model: str) -> None:
    options: dict[str, Any] = {"model": model, "n_estimators": 20, "random_state": 0}
    by_data = rw.RateClassifier("f1", **options).fit(TRAINING, eval_set=VALIDATION)
    positive = (TRAIN.y > 0).astype(int), (VALID.y > 0).astype(int)
    by_arrays = rw.RateClassifier("f1", **options).fit(TRAIN.X, positive[0], eval_set=(VALID.X, positive[1]))
    assert by_data.classes_.tolist() == [0, 1]
    assert np.array_equal(by_data.predict(VALIDATION), by_arrays.predict(VALID.X))
    assert by_data.score(VALIDATION) == by_arrays.score(VALID.X, positive[1])
    with pytest.raises(DataError, match="brings its y along, got y too; pass the data alone"):
        rw.RateClassifier("f1", **options).fit(TRAINING, positive[0])


def test_data_with_fewer_numbered_features_lacks_zeros() -> None:
    """LETOR text leaves out zeros, so that the last features may be in no line of a file."""
    X = TRAIN.X.copy()
    X[:, 4:] = 0
    model = RANKERS["ranksvm"]().fit(TRAIN)
    assert np.array_equal(model.predict(replace(TRAIN, X=X[:, :4])), model.predict(X))
    with pytest.raises(DataError, match="must have the 6 features of the training data, got 7; pass data made"):
        model.predict(replace(TRAIN, X=np.zeros((len(TRAIN), 7))))


@pytest.mark.parametrize("named", ["model", "data"])
def test_columns_that_are_matched_by_place_are_told_of(named, caplog) -> None:
    fitted, scored = (TRAINING, TRAIN) if named == "model" else (TRAIN, TRAINING)
    model = rw.RankSVM().fit(fitted)
    assert caplog.text == ""
    assert np.array_equal(model.predict(scored), model.predict(fitted))
    assert "has no names of features, so columns are matched by place; check their order" in caplog.text
