"""RateClassifier: a model, a threshold and a guarantee for an operating point (Eban 2017)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.errors import DataError, ShapeError, need_extra
from rankwise.metrics import Certificate, Metric, certify, evaluate
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.objectives.rates._objective import RateObjective, rate_objective
from rankwise.rankers._base import SavableModel, SavedModel
from rankwise.rankers._eval_sets import check_weights, unpack_eval_set
from rankwise.rankers._features import as_features, categorical_columns, values_by_column
from rankwise.rankers._parameters import (
    HIDDEN,
    MAPPING,
    MODULE,
    N_JOBS,
    NONE,
    SEQUENCE,
    VERBOSE,
    Condition,
    Constraint,
    Integer,
    OneOf,
    Real,
    check_parameters,
)
from rankwise.rankers._score_functions._functions import ScoreFunction
from rankwise.rankers.nets._plan import finite_features
from rankwise.rankers.rates._calibration import CalibrationMethod
from rankwise.rankers.rates._one_vs_rest import BinaryModel, fit_binary
from rankwise.rankers.rates._report import Callback, Report
from rankwise.rankers.rates._rows import RowMatrix, Rows
from rankwise.rankers.rates._targets import Targets, class_labels
from rankwise.rankers.rates.families._base import Family
from rankwise.rankers.rates.families._linear import LinearFamily
from rankwise.rankers.rates.families._trees import TreeFamily
from rankwise.rankers.trees._lightgbm import engine_threads
from rankwise.types import AnyArray, Features, FloatArray, JsonObject

if TYPE_CHECKING:
    from torch import nn

FAMILIES = ("trees", "linear", "net")
PLAIN = "cross entropy"

Value = TypeVar("Value")
log = logging.getLogger(__name__)


def _is_objective(value: object) -> bool:
    """Whether the value is of a type that an objective has; MetricError if it is no objective after all."""
    return isinstance(value, str | Metric | RateObjective) and rate_objective(value) is not None


class RateClassifier(ClassifierMixin, SavableModel):  # type: ignore[misc]
    """A classifier trained for an operating point: the most recall at 95% precision, say, and the threshold for it.

    First a baseline is trained by cross entropy. Where it pays (linear models, small trees, nets that respond) it is
    trained on for the objective, and rows that neither was trained on decide which of the two is kept, so that it is
    safe to ask; elsewhere the baseline is the model, with its own threshold for the objective. Those rows are the
    `eval_set`, or else each row is evaluated by models of the other folds, and what was chosen is trained on all rows.
    They place the threshold and calibrate the probabilities too. `trained_for_` says what it was trained for.

    Two classes are one model, of the class that sorts last; several classes, or columns of labels, are one model each.

    Parameters
    ----------
    objective : str, Metric or RateObjective, default="r@p=0.95"
        `r@p=0.95` (most recall at that precision), `p@r=0.9`, `tpr@fpr=0.01`, `f1`, `f2`, or an area: `aucpr`,
        `aucpr[0.8,1]`, `auc`, `pauc[0,0.1]`; or a weighted sum: `0.5*r@p=0.9 + 0.5*aucpr`.
    model : {"trees", "linear", "net"} or torch.nn.Module, default="trees"
        LightGBM's trees (NaN is a missing value), a linear model, a net (needs the extra `torch`), or a module of your
        own from rows × features to one score per row.
    anchors : int, default=10
        Points of the curve that an area is summed over.
    folds : int, default=4
        How many folds the rows are split into, without an `eval_set`.
    calibration : {"isotonic", "sigmoid"}, default="isotonic"
        How scores become probabilities.
    n_estimators : int, default=600
        Trees: how many, at most. They are trained for the objective if these are 50 or fewer, or `num_leaves` 8 or
        fewer.
    num_leaves : int, default=15
        Trees: leaves of each, at most.
    learning_rate : float, default=0.05
        Trees: share of each tree's values that is added.
    min_child_samples : int, default=10
        Trees: rows of each leaf, at least.
    monotone_constraints : sequence or mapping, default=None
        Trees and linear models: -1 (falling), 0 (free) or 1 (rising) for each feature, or a mapping from some of them,
        by name or number.
    categorical_feature : sequence of str or int, default=None
        Trees: names or numbers of features that are categories (whole numbers from 0); category columns of pandas are
        known without it.
    penalty : float or None, default=None
        Linear: factor of half the squared weights; None chooses it.
    hidden : sequence of int, default=(16,)
        Net: widths of the hidden layers; () is a linear model.
    activation : {"relu", "tanh"}, default="relu"
        Net: function of the hidden layers.
    dropout : float, default=0.0
        Net: share of hidden values that training drops.
    epochs : int, default=80
        Net: passes over the data, at most.
    net_learning_rate : float, default=0.005
        Net: rate of AdamW.
    batch_rows : int, default=256
        Net: rows of a batch.
    n_jobs : int or None, default=None
        Trees: threads; None is all cores.
    random_state : int, RandomState or None, default=None
        A number makes the same data give the same model.
    verbose : int, default=0
        Log every so many rounds; 0 is never.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted; of columns of labels their numbers.
    kind_of_target_ : {"binary", "multiclass", "multilabel"}
        What the labels were.
    models_ : list of BinaryModel
        One for two classes, else one per class.
    standardizer_ : Standardizer or None
        Mean and scale of the features; None for trees.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if the training data named them.
    n_rows_ : int
        Rows trained on.
    interrupted_ : bool
        Whether Ctrl-C ended training.

    See Also
    --------
    rankwise.losses.RateLoss : The bounds of the paper, as a loss for your own net.
    rankwise.certify : A threshold whose promise holds with a confidence that you name.

    Notes
    -----
    At an operating point true and false positives are counted through a sigmoid around its threshold, and
    price · fp − gain · tp, the weighted classification of Eban 2017 (7), is added to the cross entropy. For trees,
    which would give rows up that such counts are indifferent to, it is a second log loss that has its zero at the
    threshold and weighs rows by how near they are to it; the last trees are grown anew on it. The tuned model is kept
    if it is ahead on other rows by more than the standard error of the difference.

    References
    ----------
    Elad ET. Eban, Mariano Schain, Alan Mackey, Ariel Gordon, Rif A. Saurous and Gal Elidan (2017). Scalable Learning of
    Non-Decomposable Objectives. AISTATS.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 3))
    >>> y = X[:, 0] + rng.standard_normal(2000) > 2
    >>> model = RateClassifier("r@p=0.6", model="linear", random_state=0).fit(X[:1000], y[:1000])
    >>> precision = y[1000:][model.predict(X[1000:])].mean()
    >>> bool(0.5 < precision < 0.7)
    True
    """

    kind: ClassVar[str] = "rate"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "objective": [Condition("a metric or its name, such as r@p=0.95", _is_objective)],
        "model": [OneOf(*FAMILIES), MODULE],
        "anchors": [Integer(1, 1000)],
        "folds": [Integer(2, 1000)],
        "calibration": [OneOf("isotonic", "sigmoid")],
        "n_estimators": [Integer(1, 10**6)],
        "num_leaves": [Integer(2, 131_072)],
        "learning_rate": [Real(0, 1e3, open_low=True)],
        "min_child_samples": [Integer(0, 2**31 - 1)],
        "monotone_constraints": [SEQUENCE, MAPPING, NONE],
        "categorical_feature": [SEQUENCE, NONE],
        "penalty": [Real(0, 1e6), NONE],
        "hidden": [HIDDEN],
        "activation": [OneOf("relu", "tanh")],
        "dropout": [Real(0, 0.99)],
        "epochs": [Integer(1, 10**6)],
        "net_learning_rate": [Real(0, 1e3, open_low=True)],
        "batch_rows": [Integer(1, 10**9)],
        "n_jobs": [N_JOBS],
        "verbose": [VERBOSE],
    }

    def __init__(
        self,
        objective: str | Metric | RateObjective = "r@p=0.95",
        *,
        model: str | nn.Module = "trees",
        anchors: int = 10,
        folds: int = 4,
        calibration: CalibrationMethod = "isotonic",
        n_estimators: int = 600,
        num_leaves: int = 15,
        learning_rate: float = 0.05,
        min_child_samples: int = 10,
        monotone_constraints: Sequence[int] | Mapping[str | int, int] | None = None,
        categorical_feature: Sequence[str | int] | None = None,
        penalty: float | None = None,
        hidden: Sequence[int] = (16,),
        activation: Literal["relu", "tanh"] = "relu",
        dropout: float = 0.0,
        epochs: int = 80,
        net_learning_rate: float = 5e-3,
        batch_rows: int = 256,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
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
        self.monotone_constraints = monotone_constraints
        self.categorical_feature = categorical_feature
        self.penalty = penalty
        self.hidden = hidden
        self.activation = activation
        self.dropout = dropout
        self.epochs = epochs
        self.net_learning_rate = net_learning_rate
        self.batch_rows = batch_rows
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def max_rounds(self, y: ArrayLike, *, has_eval_set: bool = False) -> int:
        """Rounds that training on these labels can take through all models; callbacks count up to it.

        A round is a tree, an epoch of a net, or for linear models a program that is solved.

        Parameters
        ----------
        y : array-like of shape (n_rows,) or (n_rows, n_labels)
            Classes of any type, or a column of 0 and 1 per label.
        has_eval_set : bool, default=False
            Whether `fit` gets an `eval_set`, and so needs no folds.

        Returns
        -------
        int
            The number of rounds.
        """
        n_classes: int = Targets.of(y).positive.shape[1]
        return n_classes * (1 if has_eval_set else self.folds + 1) * self._family(seed=0).max_rounds

    def fit(
        self,
        X: Features | RankingData,
        y: ArrayLike | None = None,
        *,
        eval_set: RankingData | tuple[object, ...] | None = None,
        sample_weight: ArrayLike | None = None,
        callbacks: Iterable[Callback] | None = None,
    ) -> Self:
        """Train on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels along: those above 0 are the positive class 1,
            all others 0.
        y : array-like of shape (n_rows,) or (n_rows, n_labels), default=None
            Classes of any type, or a column of 0 and 1 per label.
        eval_set : RankingData, (X, y) or (X, y, weights), default=None
            Rows to choose the model and to place the threshold by; then nothing but `X` is trained on.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of rows.
        callbacks : iterable of callable, default=None
            Each is called after every round of every model with their number so far and, where rows are held back,
            {"logloss": value} of these.

        Returns
        -------
        RateClassifier
            This classifier, fitted.

        Notes
        -----
        Ctrl-C ends training early: the best so far is kept, which may be a model of some of the folds alone,
        `interrupted_` is True and a warning is logged. Of several classes each must have had its turn.
        """
        check_parameters(self)
        labels = class_labels(X, y)
        features, targets = self._features(X, fitting=True), Targets.of(labels)
        columns = self._columns()
        standardizer = None if self.model == "trees" else Standardizer.of(features)
        rows = self._rows_by_class(features, standardizer, targets, sample_weight)
        eval_rows: list[Rows] | list[None] = [None] * len(rows)
        if eval_set is not None:
            if isinstance(eval_set, RankingData):
                eval_set = (eval_set, class_labels(eval_set, None))
            X, y, weight = unpack_eval_set(eval_set, 3, "RankingData, (X, y) or (X, y, weights)")
            features, eval_targets = self._features(X, fitting=False), Targets.of(y, targets.kind, targets.classes)
            eval_rows = self._rows_by_class(features, standardizer, eval_targets, weight, " of eval_set")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        family, objective = self._family(seed, *columns), self._objective()
        report = Report(callbacks or (), self.verbose)
        models: list[BinaryModel] = []
        for train, evaluated in zip(rows, eval_rows, strict=True):
            if report.interrupted:
                raise KeyboardInterrupt  # a class without a model cannot be predicted
            binary = fit_binary(family, objective, train, evaluated, self.folds, self.calibration, seed, report)
            models.append(binary)
        if report.interrupted:
            log.warning("training was interrupted; the best so far is kept")
        self.models_, self.interrupted_ = models, report.interrupted
        self.classes_, self.kind_of_target_ = targets.classes, targets.kind
        self.standardizer_, self.n_rows_ = standardizer, len(targets.positive)
        return self

    @property
    def _takes_categories(self) -> bool:
        return bool(self.model == "trees")

    def _objective(self) -> RateObjective:
        return rate_objective(self.objective, anchors=self.anchors)

    def _columns(self) -> tuple[list[int], list[int] | None]:
        """Numbers of the categorical columns, and the constraint of each column; refuses what a family cannot have."""
        if self.model != "trees" and self.categorical_feature is not None:
            raise DataError(
                'categorical_feature is for model="trees", got it for another; drop it and encode the categories'
            )
        if self.model not in ("trees", "linear") and self.monotone_constraints is not None:
            raise DataError(
                'monotone_constraints are for model="trees" and model="linear", got them for a net; drop them'
            )
        monotone = values_by_column(self, self.monotone_constraints, "monotone_constraints")
        return categorical_columns(self, self.categorical_feature), monotone

    def _family(self, seed: int, categorical: Sequence[int] = (), monotone: list[int] | None = None) -> Family:
        """The family that the parameters describe."""
        if self.model == "linear":
            return LinearFamily(self.penalty, monotone)
        if self.model == "trees":
            limits = (self.n_estimators, self.num_leaves, self.learning_rate, self.min_child_samples)
            return TreeFamily(*limits, engine_threads(self.n_jobs), seed, [*categorical], monotone)
        need_extra("torch", extra="torch")
        from rankwise.rankers.rates.families._net import NetFamily

        net = {"torch_module": None if self.model == "net" else self.model}
        net |= {name: getattr(self, name) for name in ("hidden", "activation", "dropout")}
        return NetFamily(net, self.epochs, self.net_learning_rate, self.batch_rows, seed)

    def _features(self, X: Features | RankingData, *, fitting: bool) -> RowMatrix:
        """X as numbers; trees alone take missing values."""
        if self.model != "trees":
            name = "a linear model" if self.model == "linear" else "a net"
            return finite_features(self, X, fitting=fitting, name=name, instead='model="trees"')
        features: RowMatrix = as_features(self, X, fitting=fitting)
        return features

    def _standardize(self, features: RowMatrix, standardizer: Standardizer | None) -> RowMatrix:
        """Features as the family takes them."""
        if standardizer is None or isinstance(features, sp.csr_matrix):
            return features
        standardized = standardizer.apply(features)
        return standardized.astype(np.float64) if self.model == "linear" else standardized

    def _rows_by_class(
        self,
        features: RowMatrix,
        standardizer: Standardizer | None,
        targets: Targets,
        weight: ArrayLike | None,
        source: str = "",
    ) -> list[Rows]:
        """The rows of each class against the rest, checked; `source` says in messages where they are from."""
        n_labels, n_rows = len(targets.positive), features.shape[0]
        if n_labels != n_rows:
            raise ShapeError(f"y{source} must have one entry per row: got {n_labels} for {n_rows} rows")
        weights = check_weights(f"sample_weight{source}", weight, n_rows, "row")
        return targets.rows_by_class(self._standardize(features, standardizer), weights)

    @property
    def threshold_(self) -> float | list[float]:
        """The score at which `predict` says yes.

        Returns
        -------
        float or list of float
            In the model's own scores (`decision_function` is 0 there); with several models, of each.
        """
        return self._of_models([model.threshold for model in self._fitted_models()])

    @property
    def trained_for_(self) -> str | list[str]:
        """What the model was trained for: the objective, or "cross entropy" where that is as good; `history_` says why.

        Returns
        -------
        str or list of str
            The name of the objective, or "cross entropy"; with several models, of each.
        """
        return self._of_models([str(self._objective()) if m.is_tuned else PLAIN for m in self._fitted_models()])

    @property
    def multipliers_(self) -> FloatArray | list[FloatArray]:
        """How many true positives a false positive is worth at each point of the objective.

        Returns
        -------
        ndarray or list of ndarray
            One number per point; with several models, of each.
        """
        return self._of_models([model.multipliers for model in self._fitted_models()])

    @property
    def history_(self) -> JsonObject | list[JsonObject]:
        """What the choice between the two models rested on.

        Returns
        -------
        dict or list of dict
            The metric of the `baseline` and of the `tuned` model, if there was one, on rows that they were not trained
            on, the `gain` and its `error` over resamples of these, which was `chosen`, and the `reason` in a sentence;
            with several models, of each.
        """
        return self._of_models([model.history for model in self._fitted_models()])

    def _of_models(self, values: list[Value]) -> Value | list[Value]:
        return values[0] if self.kind_of_target_ == "binary" else values

    def _fitted_models(self) -> list[BinaryModel]:
        check_is_fitted(self, "models_")
        return self.models_

    def _decisions(self, X: Features | RankingData) -> FloatArray:
        """Scores less the threshold, a column per model."""
        models = self._fitted_models()
        rows = self._standardize(self._features(X, fitting=False), self.standardizer_)
        return np.stack([model.decisions(rows) for model in models], axis=1)

    @inherit_sections(SavableModel.scores)
    def decision_function(self, X: Features | RankingData) -> FloatArray:
        """Give scores less the threshold."""
        decisions = self._decisions(X)
        return decisions[:, 0] if self.kind_of_target_ == "binary" else decisions

    @inherit_sections(SavableModel.scores)
    def predict(self, X: Features | RankingData) -> AnyArray:
        """Say yes where the score is at or above the threshold; of several classes, the one farthest above its own.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_labels)
            A class per row, or 0 and 1 in a column per label.
        """
        decisions = self._decisions(X)
        if self.kind_of_target_ == "multilabel":
            return (decisions >= 0).astype(np.int64)
        is_binary = self.kind_of_target_ == "binary"
        return np.asarray(self.classes_[(decisions[:, 0] >= 0).astype(np.int64) if is_binary else decisions.argmax(1)])

    @inherit_sections(SavableModel.scores)
    def predict_proba(self, X: Features | RankingData) -> FloatArray:
        """Give calibrated probabilities.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            A column per class; of classes that exclude each other, rows add up to 1.
        """
        models = zip(self._decisions(X).T, self.models_, strict=True)
        probabilities = np.stack([model.calibration(decisions) for decisions, model in models], axis=1)
        if self.kind_of_target_ == "binary":
            return np.concatenate([1.0 - probabilities, probabilities], axis=1)
        if self.kind_of_target_ == "multilabel":
            return probabilities
        total = probabilities.sum(axis=1, keepdims=True)
        return np.where(total > 0, probabilities / np.where(total > 0, total, 1.0), 1.0 / probabilities.shape[1])

    def certify(
        self, X: Features | RankingData, y: ArrayLike | None = None, *, confidence: float = 0.95
    ) -> Certificate:
        """Find a threshold of `decision_function` that keeps the objective's promise with this confidence.

        The rows must be new: neither trained on nor chosen by. For two classes; see `rankwise.certify`.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.
        y : array-like of shape (n_rows,), default=None
            Classes; RankingData brings its labels along.
        confidence : float, default=0.95
            Chance that the promise is kept, over the draw of the rows.

        Returns
        -------
        Certificate
            The threshold, if there is one, and what to expect of it.
        """
        decisions = self._decisions(X)
        if self.kind_of_target_ != "binary":
            raise DataError(f"a certificate is for two classes, got {len(self.classes_)}; certify each column yourself")
        positive = self._positive(X, y)
        metrics = [term.metric for term in self._objective().terms]
        promised = next((metric for metric in metrics if isinstance(metric, CurveMetric)), metrics[0])
        return certify(positive[:, 0], decisions[:, 0], promised, confidence=confidence)

    def _positive(self, X: Features | RankingData, y: ArrayLike | None) -> AnyArray:
        return Targets.of(class_labels(X, y), self.kind_of_target_, self.classes_).positive

    def objective_value(self, X: Features | RankingData, y: ArrayLike | None = None) -> float:
        """Give the metric that the objective names, wherever its threshold.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.
        y : array-like of shape (n_rows,) or (n_rows, n_labels), default=None
            Classes; RankingData brings its labels along.

        Returns
        -------
        float
            The value; of several classes the mean over them.
        """
        decisions, positive = self._decisions(X), self._positive(X, y)
        total = 0.0
        for term in self._objective().terms:
            values = [
                evaluate(labels, scores, metrics=term.metric)[term.metric]
                for labels, scores in zip(positive.T, decisions.T, strict=True)
            ]
            total += term.weight * float(np.mean(values))
        return total

    @inherit_sections(SavableModel.scores)
    def scores(self, X: Features | RankingData) -> FloatArray:
        """Give `decision_function`, by the name that all models have for what ranks rows."""
        return self.decision_function(X)

    @inherit_sections(SavableModel.to_saved)
    def to_saved(self) -> SavedModel:
        """Give the fitted model as plain values and bytes."""
        from rankwise.rankers.rates._saved import to_saved

        self._fitted_models()
        return to_saved(self)

    @classmethod
    @inherit_sections(SavableModel.from_saved)
    def from_saved(cls, saved: SavedModel) -> Self:
        """Make the model that `to_saved` described."""
        from rankwise.rankers.rates._saved import from_saved

        return from_saved(cls, saved)

    @inherit_sections(SavableModel.to_score_function)
    def to_score_function(self) -> ScoreFunction:
        """The score less the threshold: a row is positive from 0 on."""
        if len(self.models_) > 1:
            raise DataError(
                f"an exported model gives one score per row, got a classifier of {len(self.classes_)} classes; "
                "train one of two classes each"
            )
        (binary,) = self.models_
        return binary.scorer.to_score_function(self, -binary.threshold)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.model == "trees"
        return tags
