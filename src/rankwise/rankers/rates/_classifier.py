"""RateClassifier: a model, a threshold and a guarantee for an operating point (Eban 2017)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from rankwise._validation import check_aligned, is_finite_number
from rankwise.data._ranking_data import RankingData
from rankwise.data._row_hashes import RowHashes
from rankwise.data.prepare._standardizer import Standardizer
from rankwise.metrics import Metric
from rankwise.objectives.rates._objective import RateObjective, rate_objective
from rankwise.rankers._eval_sets import check_weights, unpack_eval_set
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
from rankwise.rankers.rates._calibration import CalibrationMethod
from rankwise.rankers.rates._fitted import FittedRates
from rankwise.rankers.rates._one_vs_rest import BinaryModel, fit_binary
from rankwise.rankers.rates._report import Callback, Report
from rankwise.rankers.rates._rows import Rows
from rankwise.rankers.rates._targets import Label, Targets, class_labels
from rankwise.rankers.rates._trained_rows import WORTH_A_WORD, TrainedRows, row_keys
from rankwise.types import Features

if TYPE_CHECKING:
    from torch import nn

FAMILIES = ("trees", "linear", "net")
IF_NOT_REACHED = {
    "binary": "no row gets a yes",
    "multilabel": "no row gets a yes",
    "multiclass": "it is predicted only if no class has a threshold",
}

log = logging.getLogger(__name__)


def _is_label(value: object) -> bool:
    value = value.item() if isinstance(value, np.generic) else value
    return isinstance(value, str | bool) or is_finite_number(value)


LABEL = Condition("a class: a text, a finite number, True or False", _is_label)


def _is_objective(value: object) -> bool:
    """Whether the value is of a type that an objective has; MetricError if it is no objective after all."""
    return isinstance(value, str | Metric | RateObjective) and rate_objective(value) is not None


class RateClassifier(FittedRates):
    """A classifier trained for an operating point: the most recall at 95% precision, say, and the threshold for it.

    First a baseline is trained by cross entropy. Where it pays (linear models, small trees, nets that respond) it is
    trained on for the objective, and rows that neither was trained on decide which of the two is kept, so that it is
    safe to ask; elsewhere the baseline is the model, with its own threshold for the objective. Those rows are the
    `eval_set`, or else each row is evaluated by models of the other folds, and what was chosen is trained on all rows.
    They place the threshold and calibrate the probabilities too. `trained_for_` says what it was trained for.

    Two classes are one model, of the positive class: `pos_label`, or the one that sorts last. Several classes, or
    columns of labels, are one model each. Where no threshold has what the objective asks for on rows that were not
    trained on, `reached_` is False, a warning says so, and `predict` says no to every row.

    Parameters
    ----------
    objective : str, Metric or RateObjective, default="r@p=0.95"
        `r@p=0.95` (most recall at that precision), `p@r=0.9`, `tpr@fpr=0.01`, `f1`, `f2`, or an area: `aucpr`,
        `aucpr[0.8,1]`, `auc`, `pauc[0,0.1]`; or a weighted sum: `0.5*r@p=0.9 + 0.5*aucpr`.
    model : {"trees", "linear", "net"} or torch.nn.Module, default="trees"
        LightGBM's trees (NaN is a missing value), a linear model, a net (needs the extra `torch`), or a module of your
        own from rows × features to one score per row.
    pos_label : str, int, float, bool or None, default=None
        Of two classes the one to find, such as "fraud"; None is the one that sorts last.
    anchors : int in [1, 1000], default=10
        Points of the curve that an area is summed over.
    folds : int in [2, 1000], default=4
        How many folds the rows are split into, without an `eval_set`.
    calibration : {"isotonic", "sigmoid"}, default="isotonic"
        How scores become probabilities.
    n_estimators : int in [1, 1e6], default=600
        Trees: how many, at most. They are trained for the objective if these are 50 or fewer, or `num_leaves` 8 or
        fewer.
    num_leaves : int in [2, 131072], default=15
        Trees: leaves of each, at most.
    learning_rate : float in (0, 1000], default=0.05
        Trees: share of each tree's values that is added.
    min_child_samples : int in [0, 2147483647], default=10
        Trees: rows of each leaf, at least.
    monotone_constraints : sequence or mapping, default=None
        Trees and linear models: -1 (falling), 0 (free) or 1 (rising) for each feature, or a mapping from some of them,
        by name or number.
    categorical_feature : sequence of str or int, default=None
        Trees: names or numbers of features that are categories (whole numbers from 0); category columns of pandas are
        known without it.
    penalty : float in [0, 1e6] or None, default=None
        Linear: factor of half the squared weights; None chooses it.
    hidden : sequence of at most 100 int in [1, 1e6], default=(16,)
        Net: widths of the hidden layers; () is a linear model.
    activation : {"relu", "tanh"}, default="relu"
        Net: function of the hidden layers.
    dropout : float in [0, 0.99], default=0.0
        Net: share of hidden values that training drops.
    epochs : int in [1, 1e6], default=80
        Net: passes over the data, at most.
    net_learning_rate : float in (0, 1000], default=0.005
        Net: rate of AdamW.
    batch_rows : int in [1, 1e9], default=256
        Net: rows of a batch.
    n_jobs : int in [-1024, 1024] or None, default=None
        Trees: threads; None is all cores.
    random_state : int in [0, 4294967295], RandomState or None, default=None
        A number makes the same data give the same model.
    verbose : int in [0, 1e6], default=0
        Log every so many rounds; 0 is never.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted; of columns of labels their numbers.
    pos_label_ : str, int, float, bool or None
        The positive of two classes; None where each of several is in its turn.
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
    trained_rows_ : TrainedRows
        Hashes of up to 1,024 of these and of the rows of an `eval_set`, by which `certify` knows them again;
        a file has none.
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
        "pos_label": [LABEL, NONE],
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
        pos_label: Label | None = None,
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
        self.pos_label = pos_label
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
        check_aligned(X=X, y=y, sample_weight=sample_weight)
        labels = class_labels(X, y)
        features, targets = self._features(X, fitting=True), Targets.of(labels, pos_label=self.pos_label)
        if self.pos_label is None:
            targets.warn_of_majority()
        columns, keys = self._columns(), [row_keys(features, targets.positive[:, 0])]
        weights = check_weights("sample_weight", sample_weight, features.shape[0], "row")
        counted = slice(None) if weights is None else weights > 0
        standardizer = None if self.model == "trees" else Standardizer.of(features[counted])
        rows = self._rows_by_class(features, standardizer, targets, sample_weight)
        eval_rows: list[Rows] | list[None] = [None] * len(rows)
        if eval_set is not None:
            if isinstance(eval_set, RankingData):
                eval_set = (eval_set, class_labels(eval_set, None))
            X, y, weight = unpack_eval_set(eval_set, 3, "RankingData, (X, y) or (X, y, weights)")
            features = self._features(X, fitting=False)
            eval_targets = Targets.of(y, targets.kind, targets.classes, targets.pos_label)
            eval_rows = self._rows_by_class(features, standardizer, eval_targets, weight, " of eval_set")
            keys.append(row_keys(features, eval_targets.positive[:, 0]))
            self._warn_of_overlap(*keys)
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
        self.classes_, self.kind_of_target_, self.pos_label_ = targets.classes, targets.kind, targets.pos_label
        self.standardizer_, self.n_rows_ = standardizer, len(targets.positive)
        self.trained_rows_ = TrainedRows.of(*keys)
        self._warn_of_unreached()
        return self

    def _warn_of_overlap(self, train: RowHashes, evaluated: RowHashes) -> None:
        """Say so where rows of an eval_set were trained on."""
        share = TrainedRows.of(train).share_of(evaluated)
        if share > WORTH_A_WORD:
            log.warning(
                "%.0f%% of the rows of eval_set stand in the training data too, so the model and its threshold will "
                "look better than they are; pass other rows",
                100 * share,
            )

    def _warn_of_unreached(self) -> None:
        """Say so where a model has no threshold for the point."""
        names = [self.pos_label_] if self.kind_of_target_ == "binary" else self.classes_.tolist()
        for name, model in zip(names, self.models_, strict=True):
            if not model.reached:
                log.warning(
                    "no threshold reaches %s for the class %r on rows that the model was not trained on, so %s; "
                    "ask for less, or train on more rows or better features",
                    self._objective(), name, IF_NOT_REACHED[self.kind_of_target_],
                )  # fmt: skip
