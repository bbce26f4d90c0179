"""MarginRanker: sparse combinations of hypotheses with the largest margin over pairs, and a certificate (Suehiro
2011)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.metrics import Metric
from rankwise.objectives.margins._cutting_planes import Key, Keys
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers._base import SavableModel
from rankwise.rankers._features import training_rows
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import BOOLEAN, Condition, Constraint, Integer, OneOf, OneOrMore, Real
from rankwise.rankers._score_functions._functions import LinearFunction, TreeSum, kind_and_names
from rankwise.rankers.pairs._base import Attributes
from rankwise.rankers.pairs._matrix import Matrix
from rankwise.rankers.pairs._tuned import Candidate, TunedPairRanker
from rankwise.rankers.pairs.margin._auc_bound import AUCBound, auc_bound
from rankwise.rankers.pairs.margin._certificate import (
    CutPoint,
    MarginCertificate,
    margin_certificate,
    verify_certificate,
)
from rankwise.rankers.pairs.margin._hypotheses import (
    FeatureHypotheses,
    HypothesisFunction,
    Scale,
    StumpHypotheses,
    function_values,
    stumps_of,
)
from rankwise.rankers.pairs.margin._programs import METHODS, MIN_EPSILON, MarginSolver, Method, MethodRound
from rankwise.rankers.pairs.margin._saved import get_state, set_state
from rankwise.types import Features, FloatArray, JsonObject

log = logging.getLogger(__name__)


class MarginRanker(TunedPairRanker):
    """Convex combinations of hypotheses whose worst pairs have the largest margin: linear programs, solved exactly.

    The margin of a pair of documents, the first of the better label, is half the difference of their scores; pairs are
    those within a query. `alpha_` has the weights, few of them and adding up to 1; `certificate_` says what is proved
    of the training data, and `verify` computes all of it again.

    Parameters
    ----------
    metric : str or Metric, default="auc"
        What `score` returns and `epsilon` is chosen by, not what is learned.
    epsilon : float in [1e-9, 1] or sequence of float, default=0.2
        The share of all pairs that may lie below the margin `rho_`. The smaller, the more the worst pairs count, and so
        does noise: where no combination gives that share of worst pairs a positive mean margin, the optimum is a score
        of 0 for all, and ε is raised by quarters until it is not; a warning says so. Of several values, that with the
        best `metric` on the first eval_set is kept.
    method : {"pairs", "reduced", "heuristic", "hard"}, default="pairs"
        "pairs": the mean margin of the worst ε of all pairs, Suehiro 2011 (2); "reduced": for the worst √ε of the
        better and of the worse documents, (7); "heuristic": the same with the two shares chosen to make the bound
        lowest, (9); "hard": the margin of the very worst pair, (5), for data without noise.
    hypotheses : {"features", "stumps"} or sequence of callable, default="features"
        "features", scaled to [−1, 1]; "stumps", all decision stumps on all features, generated as they are needed; or
        functions of X, each with values from −1 to 1.
    negatives : bool, default=True
        Whether the negative of every feature is a hypothesis too. False is for features that are known to speak for a
        document, as in Suehiro 2011's experiments: weights are then positive, and ε is never raised, since features
        without negatives do not cancel out. Stumps come in both directions, and functions as they are.
    tol : float in (0, 1], default=1e-6
        The duality gap at which to stop.
    max_iter : int in [1, 1e9], default=5000
        Largest number of rounds for each ε.
    verbose : int in [0, 1e6], default=0
        Log every so many rounds; 0 logs nothing.

    Attributes
    ----------
    alpha_ : ndarray of shape (n_used,)
        Weights of the hypotheses that are used.
    keys_ : list
        The hypothesis of each weight: a number of a feature (k, or −k − 1 for its negative) or of a function, or the
        feature, threshold and sign of a stump.
    hypotheses_ : list of str
        The same in words.
    scale_ : Scale or None
        The range of each feature, which becomes [−1, 1]; None for stumps.
    epsilon_ : float
        The ε that was used.
    rho_ : float
        The margin that all but the tail of the pairs reach.
    gamma_ : float
        The bound of the dual program: no combination of the hypotheses has a larger value.
    nu_ : ndarray or None
        ν+ of each block of pairs, for "reduced" and "heuristic".
    cuts_ : list of CutPoint
        Combinations whose worst pairs, mixed, prove the bound.
    certificate_ : MarginCertificate
        What is proved of the training data.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weights.
    best_iteration_ : int
        Rounds of the training, over all values of ε.
    best_score_ : float or None
        The metric on the first eval_set.
    evals_result_ : dict
        The metric on each eval_set, for each value of ε.
    interrupted_ : bool
        Whether Ctrl-C ended the training early.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.
    n_rows_, n_queries_ : int
        Size of the training data.

    Notes
    -----
    For "pairs" the weights α, in the simplex, maximize the mean of the lowest ε of all margins (f(x_i) − f(x_j))/2,
    f = Σ α_k h_k. The dual program asks for the distribution d over pairs, d_ij ≤ 1/ν with ν = ε·(number of pairs),
    against which the largest edge of a hypothesis, ½ Σ d_ij (h(x_i) − h(x_j)), is lowest: γ. At least 1 − ε of the
    pairs have margin ρ or more; by products of rows ("reduced"), at least (1 − √ε)² of them.

    References
    ----------
    Suehiro, Hatano and Takimoto (2011), Approximate Reduction from AUC Maximization to 1-norm Soft Margin
    Optimization, ALT.
    Franc and Sonnenburg (2009), Optimized Cutting Plane Algorithm for Large-Scale Risk Minimization, JMLR 10.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]])
    >>> model = MarginRanker(epsilon=0.5).fit(X, [0, 0, 1, 1])
    >>> model.hypotheses_, model.alpha_.round(6), round(model.rho_, 6)
    (['feature 0', 'feature 1'], array([0.6, 0.4]), 0.6)
    >>> model.certificate_.holds
    True
    """

    kind: ClassVar[str] = "margin"
    tuned_parameter = "epsilon"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **TunedPairRanker._parameter_constraints,
        "epsilon": [OneOrMore(Real(MIN_EPSILON, 1))],
        "method": [OneOf(*METHODS)],
        "hypotheses": [
            OneOf("features", "stumps"),
            Condition(
                "a list of functions of X",
                lambda value: isinstance(value, list | tuple) and len(value) > 0 and all(map(callable, value)),
            ),
        ],
        "negatives": [BOOLEAN],
        "tol": [Real(0, 1, open_low=True)],
        "max_iter": [Integer(1, 10**9)],
    }

    keys_: Keys
    alpha_: FloatArray
    scale_: Scale | None
    epsilon_: float
    nu_: FloatArray | None
    cuts_: list[CutPoint]
    certificate_: MarginCertificate

    def __init__(
        self,
        metric: str | Metric = "auc",
        *,
        epsilon: float | Sequence[float] = 0.2,
        method: Method = "pairs",
        hypotheses: Literal["features", "stumps"] | Sequence[HypothesisFunction] = "features",
        negatives: bool = True,
        tol: float = 1e-6,
        max_iter: int = 5000,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.epsilon = epsilon
        self.method = method
        self.hypotheses = hypotheses
        self.negatives = negatives
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    @property
    def missing_values(self) -> bool:  # type: ignore[override]
        """Whether NaN is a missing value: stumps do without what is missing."""
        return isinstance(self.hypotheses, str) and self.hypotheses == "stumps"

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Return the largest number of rounds: `max_iter` for each value of ε.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Labels; not used.
        qid : array-like of shape (n_rows,), optional
            Queries; not used.

        Returns
        -------
        int
            The number that callbacks count up to.
        """
        return self.max_iter * len(self._tuned_values())

    def _candidates(self, rows: PairRows, values: list[float]) -> Iterator[Candidate]:
        """One value of ε after another."""
        X, lists = rows.features, PairLists.of(rows.y, rows.offsets, rows.weight)
        scale = self._scale(X)
        hypotheses = self._hypotheses(X, scale)
        raises = self.negatives or self.hypotheses != "features"
        solver = MarginSolver(self.method, lists, hypotheses, self.tol, self.max_iter, raises)
        for epsilon in values:
            for latest in solver.raised_rounds(epsilon):
                progress = latest.progress
                if latest.done and progress.gap > self.tol:
                    log.warning("the duality gap is %.1e after max_iter rounds, above tol; raise it", progress.gap)
                learned = partial(self._learned, latest, lists, hypotheses, scale)
                yield Candidate(learned, self._scorer(scale, progress.keys, progress.alpha), latest.done)

    def _scorer(self, scale: Scale | None, keys: Keys, alpha: FloatArray) -> Callable[[Matrix], FloatArray]:
        return lambda X: self._hypotheses(X, scale).scores(keys, alpha)

    def _scale(self, X: Matrix) -> Scale | None:
        if isinstance(self.hypotheses, str):
            return Scale.of(X) if self.hypotheses == "features" else None
        return Scale.none(len(self.hypotheses))

    def _hypotheses(self, X: Matrix, scale: Scale | None) -> FeatureHypotheses | StumpHypotheses:
        """The hypotheses on these rows."""
        if scale is None:
            return StumpHypotheses(X)
        if isinstance(self.hypotheses, str):
            return FeatureHypotheses(X, scale, self.negatives)
        return FeatureHypotheses(function_values(self.hypotheses, X), scale, both=False)

    def _learned(
        self,
        latest: MethodRound,
        lists: PairLists,
        hypotheses: FeatureHypotheses | StumpHypotheses,
        scale: Scale | None,
    ) -> Attributes:
        progress = latest.progress
        used = np.flatnonzero(progress.alpha)
        keys, alpha = [progress.keys[k] for k in used], progress.alpha[used]
        scores = hypotheses.scores(keys, alpha)
        if not np.ptp(scores) > self.tol * np.abs(alpha).sum():
            remedy = "use a soft margin" if self.method == "hard" else "pass other features"
            log.warning("no combination gives the worst pairs a positive margin: all scores are alike; %s", remedy)
        return {
            "keys_": keys,
            "alpha_": alpha,
            "scale_": scale,
            "epsilon_": latest.epsilon,
            "nu_": progress.tail.nu,
            "cuts_": [CutPoint.of(share, cut) for share, cut in progress.mixture],
            "certificate_": margin_certificate(
                self.method, lists, latest.program, progress.tail, scores, progress.bound
            ),
        }

    @property
    def rho_(self) -> float:
        """The margin that all but the tail of the pairs reach."""
        return float(self.certificate_.rho)

    @property
    def gamma_(self) -> float:
        """The bound of the dual program: no combination of the hypotheses has a larger value."""
        return float(self.certificate_.bound)

    @property
    def hypotheses_(self) -> list[str]:
        """What each weight of `alpha_` is of, in words."""
        if not isinstance(self.hypotheses, str):
            return [f"function {key}" for key in self.keys_]
        names = getattr(self, "feature_names_in_", [f"feature {k}" for k in range(self.n_features_in_)])

        def describe(key: Key) -> str:
            if isinstance(key, tuple):
                return f"{names[key[0]]} {'>' if key[2] > 0 else '<='} {key[1]:.6g}"
            return str(names[key]) if key >= 0 else f"-{names[-key - 1]}"

        return [describe(key) for key in self.keys_]

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the weights."""
        out = np.zeros(self.n_features_in_)
        if isinstance(self.hypotheses, str):
            features = [key[0] if isinstance(key, tuple) else key if key >= 0 else -key - 1 for key in self.keys_]
            np.add.at(out, features, self.alpha_)
        return out

    def verify(
        self,
        X: Features | RankingData,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
    ) -> MarginCertificate:
        """Compute the certificate from scratch on these rows, which should be those of the training.

        On other rows it says what holds of those: the margin and shares are theirs, and the bound is one for them.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels, queries and query weights along.
        y : array-like of shape (n_rows,), optional
            Labels.
        qid : array-like of shape (n_rows,), optional
            The query of each row; without it all rows are one list.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of documents.
        query_weight : array-like of shape (n_queries,), optional
            Weights of queries, by first appearance.

        Returns
        -------
        MarginCertificate
            What is proved of these rows.
        """
        check_is_fitted(self, "n_rows_")
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        rows = self._pair_rows(data, fitting=False).counted
        lists = PairLists.of(rows.y, rows.offsets, rows.weight)
        return verify_certificate(self, lists, self._hypotheses(rows.features, self.scale_))

    def auc_bound(self, X: Features | RankingData, y: ArrayLike | None = None, *, confidence: float = 0.95) -> AUCBound:
        """Bound the AUC on rows to come, from the training rows and their margins (Suehiro 2011 theorem 1).

        It holds for features whose range was known beforehand, and for rows that are drawn independently. It is for
        very many rows: with 100 features it says nothing below about a million.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            The training rows, one list of two grades.
        y : array-like of shape (n_rows,), optional
            Labels.
        confidence : float, default=0.95
            With which the bound holds, over draws of the training rows.

        Returns
        -------
        AUCBound
            The bound, and what it is made of.
        """
        check_is_fitted(self, "n_rows_")
        if self.scale_ is None:
            raise DataError("the bound is for finitely many hypotheses, got stumps; use features")
        if not 0.0 < confidence < 1.0:
            raise DataError(f"confidence must be above 0 and below 1, got {confidence:g}; 0.95 is usual")
        rows = self._pair_rows(training_rows(X, y, None), fitting=False).counted
        lists = PairLists.of(rows.y, rows.offsets, rows.weight)
        scores = self._hypotheses(rows.features, self.scale_).scores(self.keys_, self.alpha_)
        both = self.negatives and isinstance(self.hypotheses, str)
        return auc_bound(lists, scores, int(np.count_nonzero(self.scale_.factor)) * (2 if both else 1), confidence)

    def _scores(self, X: Matrix) -> FloatArray:
        if self.missing_values:
            return stumps_of(self.keys_, self.alpha_).scores(X)
        return self._hypotheses(X, self.scale_).scores(self.keys_, self.alpha_)

    def _contributions(self, X: Matrix) -> FloatArray:
        if self.scale_ is None:
            return stumps_of(self.keys_, self.alpha_).contributions(X)
        if not isinstance(self.hypotheses, str):
            raise DataError(
                "functions of your own cannot be explained by feature, got such a model; explain them yourself"
            )
        linear = FeatureHypotheses(X, self.scale_)
        columns = np.arange(X.shape[1])
        return np.asarray(self.scale_.scaled(np.asarray(X), columns) * linear.weights(self.keys_, self.alpha_))

    @inherit_sections(SavableModel.to_score_function)
    def to_score_function(self) -> LinearFunction | TreeSum:
        """Stumps as trees, features as a linear function."""
        if not isinstance(self.hypotheses, str):
            raise DataError(
                f"functions of your own cannot be written to another system, got {len(self.hypotheses)}; "
                "export a model of features or stumps"
            )
        kind, names = kind_and_names(self)
        if self.scale_ is None:
            return TreeSum(kind, names, stumps_of(self.keys_, self.alpha_).merged().trees())
        scale = self.scale_
        weights = FeatureHypotheses(np.zeros((1, len(names))), scale).weights(self.keys_, self.alpha_)
        return LinearFunction(kind, names, weights, 0.0, scale.middle, scale.factor)

    def _get_state(self) -> JsonObject:
        return get_state(self)

    def _set_state(self, state: JsonObject) -> None:
        set_state(self, state)
