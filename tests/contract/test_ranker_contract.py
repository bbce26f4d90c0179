"""Every ranker through every check, and deliberately wrong rankers that fail those meant for them, and no others."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, ClassVar, Self

import numpy as np
import pytest
from sklearn.utils.validation import check_is_fitted

from rankwise.checks import check_ranker, ranker_checks
from rankwise.errors import DataError
from rankwise.metrics import evaluate
from rankwise.rankers._base import Ranker, SavedModel, model_kinds
from rankwise.rankers._features import as_features
from tests.selection.factories import small_auto

SMALL = {"n_estimators": 4, "num_leaves": 5, "min_child_samples": 5, "n_jobs": 1}

# Settings of each kind that learn in a moment: plain, and with all that is drawn at random.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "lambdamart": [
        {"metric": "ndcg@5", **SMALL},
        {"metric": "auc", **SMALL, "bags": 2, "colsample_bytree": 0.6, "init": "l2"},
    ],
    "lambdarank": [
        {"metric": "ndcg@5", "epochs": 6},
        {"metric": "auc", "epochs": 6, "optimizer": "burges2006", "dropout": 0.2},
    ],
    "rankboost": [{"metric": "ndcg@5", "n_estimators": 20}],
    "smoothrankboost": [
        {"metric": "auc", "n_estimators": 40},
        {"metric": "ndcg@5", "n_estimators": 40, "epsilon": 0.05},
    ],
    "ranknet": [{"epochs": 6}, {"hidden": (), "epochs": 30, "batch_queries": 3}],
    "ranksvm": [{}, {"metric": "auc", "loss": "hinge", "pair_weighting": "pairs", "C": 30.0, "standardize": False}],
    "aucsvm": [{}, {"metric": "mauc", "loss": "squared_hinge"}],
    "auto": [small_auto().get_params(deep=False), {"metric": "auc", "folds": 2, "max_fits": 12, "n_jobs": 1}],
    "lightgbm": [SMALL, {"metric": "auc", "objective": "binary", **SMALL}],
    "logistic": [{}, {"metric": "ndcg@5", "C": 1.0}],
    "margin": [{"epsilon": 0.9}, {"metric": "ndcg@5", "method": "reduced", "hypotheses": "stumps", "epsilon": 0.6}],
}
NETS = ("lambdarank", "ranknet")
CASES = [
    pytest.param(kind, number, check, id=f"{kind}-{number}-{check.__name__}")
    for kind, settings in SETTINGS.items()
    for number in range(len(settings))
    for check in ranker_checks()
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "number", "check"), CASES)
def test_contract(kind: str, number: int, check: Callable[[Any], None]) -> None:
    if kind in NETS:
        pytest.importorskip("torch")
    check(model_kinds()[kind](**SETTINGS[kind][number]))


def test_every_shipped_kind_is_checked() -> None:
    shipped = {kind: cls for kind, cls in model_kinds().items() if cls.__module__.startswith("rankwise.")}
    assert {kind for kind, cls in shipped.items() if issubclass(cls, Ranker)} == set(SETTINGS)


class Right(Ranker):
    """Ranks by the feature, rising or falling, that is best by the metric; the model is all that is in `place`."""

    kind: ClassVar[str] = "test_right"

    def __init__(self, metric: str = "ndcg@5") -> None:
        self.metric = metric

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        features = as_features(self, X, fitting=True)
        values = {
            (column, sign): evaluate(y, sign * features[:, column], qid, self.metric)[self.metric]
            for column, sign in itertools.product(range(self.n_features_in_), (1, -1))
        }
        self.place_ = {"column": max(values, key=values.__getitem__)[0], "add": 0.0}
        self.place_["times"] = float(max(values, key=values.__getitem__)[1])
        return self

    def predict(self, X: Any) -> Any:
        check_is_fitted(self, "place_")
        features = as_features(self, X, fitting=False)
        return features[:, self.place_["column"]].astype(float) * self.place_["times"] + self.place_["add"]

    def to_saved(self) -> SavedModel:
        check_is_fitted(self, "place_")
        members = {"place.json": json.dumps(self.place_).encode()}
        return SavedModel(self.kind, self.metric, self.get_params(), self.n_features_in_, None, {}, members)  # type: ignore[arg-type]

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        model = cls(**saved.parameters)
        model.place_, model.n_features_in_ = json.loads(saved.members["place.json"]), saved.n_features
        return model


class ForgetsItself(Right):
    kind: ClassVar[str] = "test_forgets_itself"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Any:
        super().fit(X, y, qid=qid)


class ChangesItsParameters(Right):
    kind: ClassVar[str] = "test_changes_its_parameters"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        self.metric = f"{self.metric}".upper().lower()
        return super().fit(X, y, qid=qid)


class ScoresByCorrelation(Right):
    kind: ClassVar[str] = "test_scores_by_correlation"

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:  # type: ignore[override]
        return float(np.corrcoef(self.predict(X), y)[0, 1])


class RanksUpsideDown(Right):
    kind: ClassVar[str] = "test_ranks_upside_down"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        super().fit(X, y, qid=qid)
        self.place_["times"] *= -1.0
        return self


class DrawsWithoutSeed(Right):
    kind: ClassVar[str] = "test_draws_without_seed"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        super().fit(X, y, qid=qid)
        self.place_["add"] = float(np.random.default_rng().random())
        return self


class RemembersItsPast(Right):
    kind: ClassVar[str] = "test_remembers_its_past"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        before = getattr(self, "place_", {"add": 0.0})["add"]
        super().fit(X, y, qid=qid)
        self.place_["add"] = before + 1.0
        return self


class ReadsQueryNames(Right):
    kind: ClassVar[str] = "test_reads_query_names"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        super().fit(X, y, qid=qid)
        self.place_["add"] = float(qid is not None and str(max(qid)) > "9")
        return self


class ReadsRowOrder(Right):
    kind: ClassVar[str] = "test_reads_row_order"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        super().fit(X, y, qid=qid)
        self.place_["add"] = float(np.sum(y[:20], dtype=float))
        return self


class ReadsTypesOfLabels(Right):
    kind: ClassVar[str] = "test_reads_types_of_labels"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        super().fit(X, y, qid=qid)
        self.place_["add"] = float(np.asarray(y).dtype.kind == "i")
        return self


class ScoresByTheBatch(Right):
    kind: ClassVar[str] = "test_scores_by_the_batch"

    def predict(self, X: Any) -> Any:
        return super().predict(X) - super().predict(X).mean()


class StumblesOverOneDocument(Right):
    kind: ClassVar[str] = "test_stumbles_over_one_document"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        super().fit(X, y, qid=qid)
        if qid is not None and np.unique(qid, return_counts=True)[1].min() == 1:
            self.place_["add"] = float("nan")
        return self


class SavesRounded(Right):
    kind: ClassVar[str] = "test_saves_rounded"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        super().fit(X, y, qid=qid)
        self.place_["times"] *= 1 / 3
        return self

    def to_saved(self) -> SavedModel:
        saved = super().to_saved()
        saved.members["place.json"] = json.dumps({**self.place_, "times": round(self.place_["times"], 9)}).encode()
        return saved


class CannotBeSaved(Right):
    """It has no kind of its own."""


class ScoresBeforeLearning(Right):
    kind: ClassVar[str] = "test_scores_before_learning"

    def predict(self, X: Any) -> Any:
        return super().predict(X) if hasattr(self, "place_") else np.zeros(len(X))


class TrustsLabels(Right):
    kind: ClassVar[str] = "test_trusts_labels"

    def fit(self, X: Any, y: Any, *, qid: Any = None) -> Self:
        return super().fit(X, np.nan_to_num(y), qid=qid)


class TrustsFeatures(Right):
    kind: ClassVar[str] = "test_trusts_features"

    def predict(self, X: Any) -> Any:
        check_is_fitted(self, "place_")
        return super().predict(np.hstack([X, X])[:, : self.n_features_in_])


class TalksTooMuch(Right):
    kind: ClassVar[str] = "test_talks_too_much"

    def predict(self, X: Any) -> Any:
        if hasattr(self, "place_") and X.shape[1] != self.n_features_in_:
            raise DataError("These are not the features. I expected others.")
        return super().predict(X)


class RaisesWhatItLikes(Right):
    kind: ClassVar[str] = "test_raises_what_it_likes"

    def predict(self, X: Any) -> Any:
        if hasattr(self, "place_") and X.shape[1] != self.n_features_in_:
            raise ValueError("other features")
        return super().predict(X)


WRONG: dict[type[Ranker], str] = {
    Right: "",
    ForgetsItself: "check_fit",
    ChangesItsParameters: "check_parameters",
    ScoresByCorrelation: "check_score",
    RanksUpsideDown: "check_learns check_odd_queries",
    DrawsWithoutSeed: "check_seed check_query_names check_labels check_row_order",
    RemembersItsPast: "check_seed",
    ReadsQueryNames: "check_query_names",
    ReadsRowOrder: "check_row_order",
    ReadsTypesOfLabels: "check_labels",
    ScoresByTheBatch: "check_predicted_rows",
    StumblesOverOneDocument: "check_odd_queries",
    SavesRounded: "check_save",
    CannotBeSaved: "check_save",
    ScoresBeforeLearning: "check_parameters check_unfitted",
    TrustsLabels: "check_bad_rows",
    TrustsFeatures: "check_features",
    TalksTooMuch: "check_features",
    RaisesWhatItLikes: "check_features",
}


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG, ids=lambda cls: cls.__name__)
def test_a_wrong_ranker_fails_the_checks_meant_for_it(wrong: type[Ranker]) -> None:
    said = {}
    for check in ranker_checks():
        try:
            check(wrong())
        except AssertionError as problem:
            said[check.__name__] = str(problem)
    assert list(said) == WRONG[wrong].split()
    assert all(wrong.__name__ in sentence for sentence in said.values())
    with pytest.raises(AssertionError, match=wrong.__name__) if said else nullcontext():
        check_ranker(wrong())


def test_only_rankers_are_checked() -> None:
    with pytest.raises(AssertionError, match="takes a ranker of rankwise, got str"):
        check_ranker("lambdamart")  # type: ignore[arg-type]
