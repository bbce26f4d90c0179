"""RateClassifier: a model, a threshold and a guarantee for an operating point (Eban 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rankwise.data._ranking_data import RankingData
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError
from rankwise.metrics import Certificate, Metric, certify, evaluate
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective
from rankwise.rankers._base import SavableModel, SavedModel
from rankwise.rankers._parameters import HIDDEN, MODULE, N_JOBS, NONE, Condition, Constraint, Integer, OneOf, Real
from rankwise.rankers._score_functions._functions import ScoreFunction
from rankwise.rankers.rates._calibration import Method
from rankwise.rankers.rates._one_vs_rest import BinaryModel, fit_binary
from rankwise.rankers.rates._plan import (
    FAMILIES,
    checked_objective,
    column,
    family_of,
    features_of,
    judged_rows,
    rows_of_targets,
    seen,
)
from rankwise.rankers.rates._targets import class_labels, positives_of
from rankwise.types import FloatArray


class RateClassifier(ClassifierMixin, SavableModel):  # type: ignore[misc]
    """A classifier trained for an operating point: the most recall at 95% precision, say, and the threshold for it.

    First a plain model is trained by cross entropy; then it is trained on for the objective; and rows that neither was
    trained on decide which of the two is kept, so that it is safe to ask. Those rows are the `eval_set`, or else each
    row is judged by models of the other folds, and what was chosen is trained on all rows. They place the
    threshold and calibrate the probabilities too.

    - `objective`: `r@p=0.95` (most recall at that precision), `p@r=0.9`, `tpr@fpr=0.01`, `f1`, `f2`, or an area:
      `aucpr`, `aucpr[0.8,1]`, `auc`, `pauc[0,0.1]`; or a weighted sum: `0.5*r@p=0.9 + 0.5*aucpr`. Areas have `anchors`
      points.
    - `model`: "trees" (LightGBM; NaN is a missing value), "linear", "net" (needs the extra `torch`), or your own
      `torch.nn.Module` from rows × features to one score per row.
    - `folds`: how many, without an `eval_set`. `calibration`: "isotonic" or "sigmoid".
    - trees: `n_estimators` (at most), `num_leaves`, `learning_rate`, `min_child_samples`, `n_jobs`.
    - linear: `penalty` of the squared weights; None chooses it.
    - net: `hidden`, `activation`, `dropout`, `epochs` (at most), `net_learning_rate`, `batch_rows`.
    - `random_state`: a number makes the same data give the same model.

    Two classes are one model, of the class that sorts last; several classes, or columns of labels, are one model each.

    After `fit`: `threshold_` of the model's own scores (`decision_function` is 0 there), `multipliers_` (how many true
    positives a false positive is worth at each point of the objective), `history_` (what the choice rested on); with
    several models, a list of each.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 3))
    >>> y = X[:, 0] + rng.standard_normal(2000) > 2
    >>> model = RateClassifier("r@p=0.6", model="linear", random_state=0).fit(X[:1000], y[:1000])
    >>> found = y[1000:][model.predict(X[1000:])].mean()  # the precision where it says yes
    >>> bool(0.5 < found < 0.7)
    True
    """

    kind: ClassVar[str] = "rate"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "objective": [
            Condition(
                "a metric or its name, such as r@p=0.95", lambda value: isinstance(value, str | Metric | RateObjective)
            )
        ],
        "model": [OneOf(*FAMILIES), MODULE],
        "anchors": [Integer(1, 1000)],
        "folds": [Integer(2, 1000)],
        "calibration": [OneOf("isotonic", "sigmoid")],
        "n_estimators": [Integer(1, 10**6)],
        "num_leaves": [Integer(2, 131_072)],
        "learning_rate": [Real(0, 1e3, open_low=True)],
        "min_child_samples": [Integer(0, 2**31 - 1)],
        "penalty": [Real(0, 1e6), NONE],
        "hidden": [HIDDEN],
        "activation": [OneOf("relu", "tanh")],
        "dropout": [Real(0, 0.99)],
        "epochs": [Integer(1, 10**6)],
        "net_learning_rate": [Real(0, 1e3, open_low=True)],
        "batch_rows": [Integer(1, 10**9)],
        "n_jobs": [N_JOBS],
    }

    def __init__(
        self,
        objective: str | Metric | RateObjective = "r@p=0.95",
        *,
        model: Any = "trees",
        anchors: int = 10,
        folds: int = 4,
        calibration: Method = "isotonic",
        n_estimators: int = 600,
        num_leaves: int = 15,
        learning_rate: float = 0.05,
        min_child_samples: int = 10,
        penalty: float | None = None,
        hidden: Sequence[int] = (16,),
        activation: Literal["relu", "tanh"] = "relu",
        dropout: float = 0.0,
        epochs: int = 80,
        net_learning_rate: float = 5e-3,
        batch_rows: int = 256,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.objective = objective
        self.model = model
        self.anchors = anchors
        self.folds = folds
        self.calibration = calibration
        self.n_estimators = n_estimators
        self.num_leaves = num_leaves
        self.learning_rate = learning_rate
        self.min_child_samples = min_child_samples
        self.penalty = penalty
        self.hidden = hidden
        self.activation = activation
        self.dropout = dropout
        self.epochs = epochs
        self.net_learning_rate = net_learning_rate
        self.batch_rows = batch_rows
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        eval_set: RankingData | tuple[Any, ...] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Train on all rows; `eval_set`, (X, y) or (X, y, weights), has rows to choose and place the threshold by.

        X and `eval_set` may be RankingData: labels above 0 are then the positive class 1, all others 0.
        """
        objective = checked_objective(self)
        y = class_labels(X, y)
        features, targets = features_of(self, X, fitting=True), positives_of(y)
        self.classes_, self.kind_of_target_ = targets.classes, targets.kind
        self.standardizer_ = None if self.model == "trees" else Standardizer.of(features)
        rows = rows_of_targets(self, features, targets, sample_weight, "")
        judged = judged_rows(self, eval_set, targets)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        family = family_of(self, seed)
        self.models_ = []
        for k in range(rows.positive.shape[1]):
            mine, others = column(self, rows, k), None if judged is None else column(self, judged, k)
            self.models_.append(fit_binary(family, objective, mine, others, self.folds, self.calibration, seed))
        self.n_rows_ = int(rows.positive.shape[0])
        return self

    @property
    def _takes_categories(self) -> bool:
        return bool(self.model == "trees")

    @property
    def threshold_(self) -> Any:
        """The score at which `predict` says yes."""
        return self._one([model.threshold for model in self._fitted()])

    @property
    def multipliers_(self) -> Any:
        """How many true positives a false positive is worth at each point of the objective."""
        return self._one([model.multipliers for model in self._fitted()])

    @property
    def history_(self) -> Any:
        """The metric of the plain and the tuned model on rows that they were not trained on, and which was chosen."""
        return self._one([model.history for model in self._fitted()])

    def _one(self, values: list[Any]) -> Any:
        return values[0] if self.kind_of_target_ == "binary" else values

    def _fitted(self) -> list[BinaryModel]:
        check_is_fitted(self, "models_")
        return self.models_

    def decision_function(self, X: Any) -> FloatArray:
        """Scores less the threshold: one per row, or a column per class."""
        models = self._fitted()
        rows = seen(self, features_of(self, X, fitting=False))
        found = np.stack([model.decisions(rows) for model in models], axis=1)
        return found[:, 0] if self.kind_of_target_ == "binary" else found

    def predict(self, X: Any) -> NDArray[Any]:
        """Yes where the score is at or above the threshold; of several classes, the one farthest above its own."""
        found = self.decision_function(X)
        if self.kind_of_target_ == "binary":
            return np.asarray(self.classes_[(found >= 0).astype(np.int64)])
        if self.kind_of_target_ == "multilabel":
            return (found >= 0).astype(np.int64)
        return np.asarray(self.classes_[np.argmax(found, axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Calibrated probabilities, a column per class."""
        decisions = self.decision_function(X)
        columns = decisions[:, None] if decisions.ndim == 1 else decisions
        found = np.stack([model.calibration(columns[:, k]) for k, model in enumerate(self._fitted())], axis=1)
        if self.kind_of_target_ == "binary":
            return np.concatenate([1.0 - found, found], axis=1)
        if self.kind_of_target_ == "multilabel":
            return found
        total = found.sum(axis=1, keepdims=True)
        return np.where(total > 0, found / np.where(total > 0, total, 1.0), 1.0 / found.shape[1])

    def certify(self, X: Any, y: ArrayLike | None = None, *, confidence: float = 0.95) -> Certificate:
        """A threshold of `decision_function` that keeps the objective's promise with this confidence.

        The rows must be new: neither trained on nor chosen by. For two classes; see `rankwise.certify`.
        """
        decisions = self.decision_function(X)
        if self.kind_of_target_ != "binary":
            raise DataError(f"a certificate is for two classes, got {len(self.classes_)}; certify each column yourself")
        positive = positives_of(class_labels(X, y), self.kind_of_target_, self.classes_).positive[:, 0]
        metrics = [term.metric for term in checked_objective(self).terms]
        promised = next((metric for metric in metrics if isinstance(metric, CurveMetric)), metrics[0])
        return certify(positive, decisions, promised, confidence=confidence)

    def objective_value(self, X: Any, y: ArrayLike | None = None) -> float:
        """The metric that the objective names, wherever its threshold; of several classes the mean over them."""
        found = self.decision_function(X)
        positive = positives_of(class_labels(X, y), self.kind_of_target_, self.classes_).positive
        columns = found[:, None] if found.ndim == 1 else found
        total = 0.0
        for term in checked_objective(self).terms:
            of_class = [
                evaluate(positive[:, k], columns[:, k], metrics=term.metric)[term.metric]
                for k in range(columns.shape[1])
            ]
            total += term.weight * float(np.mean(of_class))
        return total

    def scores(self, X: Any) -> FloatArray:
        """`decision_function`, by the name that all models have for what ranks rows."""
        return self.decision_function(X)

    def to_saved(self) -> SavedModel:
        """The fitted model as plain values and bytes."""
        from rankwise.rankers.rates._saved import to_saved

        return to_saved(self, self._fitted())

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """The model that `to_saved` described; whatever is wrong with it raises ModelFileError."""
        from rankwise.rankers.rates._saved import from_saved

        model: Self = from_saved(cls, saved)
        return model

    def to_score_function(self) -> ScoreFunction:
        """The score less the threshold: a row is positive from 0 on."""
        if len(self.models_) > 1:
            raise DataError(
                f"an exported model gives one score per row, got a classifier of {len(self.classes_)} classes; "
                "train one of two classes each"
            )
        (binary,) = self.models_
        return binary.scorer.to_score_function(self, -binary.threshold)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.model == "trees"
        return tags
