"""MarginRanker: sparse combinations of hypotheses with the largest margin over pairs, and a certificate (Suehiro
2011)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankwise._docstrings import inherit_sections
from rankwise.metrics import Metric
from rankwise.objectives.margins._cutting_planes import Keys
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import BOOLEAN, Condition, Constraint, Integer, OneOf, OneOrMore, Real
from rankwise.rankers.pairs._base import Attributes, PairRanker
from rankwise.rankers.pairs._matrix import Matrix
from rankwise.rankers.pairs._tuned import Candidate
from rankwise.rankers.pairs.margin._certificate import CutPoint, margin_certificate
from rankwise.rankers.pairs.margin._fitted import FittedMargins
from rankwise.rankers.pairs.margin._hypotheses import FeatureHypotheses, HypothesisFunction, Scale, StumpHypotheses
from rankwise.rankers.pairs.margin._programs import METHODS, MIN_EPSILON, MarginSolver, Method, MethodRound
from rankwise.types import FloatArray

log = logging.getLogger(__name__)


class MarginRanker(FittedMargins):
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
        **FittedMargins._parameter_constraints,
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

    @inherit_sections(PairRanker.max_rounds)
    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Return the largest number of rounds: `max_iter` for each value of ε."""
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
