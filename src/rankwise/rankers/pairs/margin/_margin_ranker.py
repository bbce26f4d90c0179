"""MarginRanker: sparse combinations of hypotheses with the largest margin over pairs, and a certificate (Suehiro
2011)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers._eval_sets import EvalSet
from rankwise.rankers._features import training_rows
from rankwise.rankers._pair_rows import PairRows, pair_rows
from rankwise.rankers._parameters import Condition, Constraint, Integer, OneOf, OneOrMore, Real
from rankwise.rankers._score_functions._functions import LinearFunction, TreeSum, kind_and_names
from rankwise.rankers.pairs._base import PairRanker, Step
from rankwise.rankers.pairs.margin._certificate import MarginCertificate, margin_certificate
from rankwise.rankers.pairs.margin._hypotheses import (
    FeatureHypotheses,
    Scale,
    StumpHypotheses,
    function_values,
    stumps_of,
)
from rankwise.rankers.pairs.margin._programs import Method, Round, raised_rounds
from rankwise.rankers.pairs.margin._saved import recall, told
from rankwise.rankers.pairs.margin._verify import CutPoint, verified
from rankwise.types import FloatArray

log = logging.getLogger(__name__)


class MarginRanker(PairRanker):
    """Convex combinations of hypotheses whose worst pairs have the largest margin: linear programs, solved exactly.

    The margin of a pair of documents, the first of the better label, is half the difference of their scores; pairs are
    those within a query. `alpha_` has the weights, few of them and adding up to 1; `certificate_` says what is proved
    of the training data, and `verify` computes all of it again.

    - `epsilon`: the share of all pairs that may lie below the margin `rho_`. The smaller, the more the worst pairs
      count, and so does noise: where no combination gives that share of worst pairs a positive mean margin, the optimum
      is a score of 0 for all, and ε is raised by quarters until it is not; a warning says so. Of several values, that
      with the best `metric` on `eval_set` is kept. `epsilon_` is the one used.
    - `method`: "pairs", the mean margin of the worst ε of all pairs, Suehiro 2011 (2); "reduced", for the worst √ε of
    the better
      and of the worse documents, (7); "heuristic", the same with the two shares chosen to make the bound lowest, (9);
      "hard", the margin of the very worst pair, (5), for data without noise.
    - `hypotheses`: "features", scaled to [−1, 1], and their negatives; "stumps", all decision stumps on all features,
      generated as they are needed; or a list of functions of X, each with values from −1 to 1.
    - `tol`: the duality gap at which to stop; `max_iter`: rounds at the most for each ε.
    - `verbose`: log every so many rounds.

    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]])
    >>> model = MarginRanker(epsilon=0.5).fit(X, [0, 0, 1, 1])
    >>> model.hypotheses_, model.alpha_.round(6), round(model.rho_, 6)
    (['feature 0', 'feature 1'], array([0.6, 0.4]), 0.6)
    >>> model.certificate_.holds
    True
    """

    kind: ClassVar[str] = "margin"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **PairRanker._parameter_constraints,
        "epsilon": [OneOrMore(Real(0, 1, open_low=True))],
        "method": [OneOf("pairs", "reduced", "heuristic", "hard")],
        "hypotheses": [
            OneOf("features", "stumps"),
            Condition(
                "a list of functions of X",
                lambda value: isinstance(value, list | tuple) and len(value) > 0 and all(map(callable, value)),
            ),
        ],
        "tol": [Real(0, 1, open_low=True)],
        "max_iter": [Integer(1, 10**9)],
    }

    def __init__(
        self,
        metric: str | Metric = "auc",
        *,
        epsilon: float | Sequence[float] = 0.2,
        method: Method = "pairs",
        hypotheses: Literal["features", "stumps"] | Sequence[Callable[[Any], Any]] = "features",
        tol: float = 1e-6,
        max_iter: int = 1000,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.epsilon = epsilon
        self.method = method
        self.hypotheses = hypotheses
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    @property
    def missing_values(self) -> bool:  # type: ignore[override]
        """Stumps do without what is missing."""
        return isinstance(self.hypotheses, str) and self.hypotheses == "stumps"

    def max_rounds(self, y: ArrayLike, qid: ArrayLike | None = None) -> int:
        """Rounds that training can take."""
        return self.max_iter * len(self._epsilons())

    def _epsilons(self) -> list[float]:
        return [float(one) for one in self.epsilon] if isinstance(self.epsilon, Sequence) else [float(self.epsilon)]

    def _steps(self, rows: PairRows, judged: list[EvalSet]) -> Iterator[Step]:
        epsilons = self._epsilons()
        if len(epsilons) > 1 and not judged:
            raise DataError(f"of several epsilon eval_set chooses one, got {len(epsilons)} and no eval_set; pass it")
        rows = rows.counted
        X, metric = rows.features, parse(self.metric)
        lists, scale = PairLists.of(rows.y, rows.offsets, rows.weight), self._scale(X)
        hypotheses = self._hypotheses(X, scale)
        best: tuple[list[float], Callable[[], dict[str, Any]]] | None = None
        for epsilon in epsilons:
            for one in raised_rounds(self.method, lists, hypotheses, epsilon, self.tol, self.max_iter):
                learned = self._learner(one, lists, hypotheses, scale)
                if not one.done:
                    yield Step(learned if best is None else best[1], [], [] if best is None else best[0])
            if one.progress.gap > self.tol:
                log.warning("the duality gap is %.1e after max_iter rounds, above tol; raise it", one.progress.gap)
            values = []
            for judge in judged:
                keys, alpha = one.progress.keys, one.progress.alpha
                values.append(judge.value(metric, self._hypotheses(judge.X, scale).scores(keys, alpha)))
            if best is None or values[0] > best[0][0]:
                best = values, learned
            yield Step(best[1], values, best[0])

    def _scale(self, X: Any) -> Scale | None:
        if isinstance(self.hypotheses, str):
            return Scale.of(X) if self.hypotheses == "features" else None
        return Scale.none(len(self.hypotheses))

    def _hypotheses(self, X: Any, scale: Scale | None) -> Any:
        """The hypotheses on these rows."""
        if isinstance(self.hypotheses, str):
            return StumpHypotheses(X) if scale is None else FeatureHypotheses(X, scale)
        assert scale is not None
        return FeatureHypotheses(function_values(self.hypotheses, X), scale, both=False)

    def _learner(
        self, one: Round, lists: PairLists, hypotheses: Any, scale: Scale | None
    ) -> Callable[[], dict[str, Any]]:
        def learned() -> dict[str, Any]:
            progress = one.progress
            used = np.flatnonzero(progress.alpha)
            keys, alpha = [progress.keys[k] for k in used], progress.alpha[used]
            scores = hypotheses.scores(keys, alpha)
            if not np.ptp(scores) > self.tol * np.abs(alpha).sum():
                remedy = "use a soft margin" if self.method == "hard" else "pass other features"
                log.warning("no combination gives the worst pairs a positive margin: all scores are alike; %s", remedy)
            points = [CutPoint.of(share, cut) for share, cut in progress.mixture]
            return {
                "keys_": keys,
                "alpha_": alpha,
                "scale_": scale,
                "epsilon_": one.epsilon,
                "nu_": progress.tail.nu,
                "cuts_": points,
                "certificate_": margin_certificate(
                    self.method, lists, one.tail_of, progress.tail, scores, progress.bound
                ),
            }

        return learned

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
        if self.hypotheses == "stumps":
            return [f"{names[k]} {'>' if sign > 0 else '<='} {threshold:.6g}" for k, threshold, sign in self.keys_]
        return [str(names[k]) if k >= 0 else f"-{names[-k - 1]}" for k in self.keys_]

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
        X: Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
    ) -> MarginCertificate:
        """The certificate computed from scratch on these rows, which should be those of the training.

        On other rows it says what holds of those: the margin and shares are theirs, and the bound is one for them.
        """
        check_is_fitted(self, "n_rows_")
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        features = self._features(data.X, False)
        rows = pair_rows(type(self).__name__, features, data.y, data.qid, data.sample_weight, data.query_weight).counted
        lists = PairLists.of(rows.y, rows.offsets, rows.weight)
        return verified(self, lists, self._hypotheses(rows.features, self.scale_))

    def _scores(self, X: Any) -> FloatArray:
        if self.missing_values:
            return stumps_of(self.keys_, self.alpha_).scores(X)
        return np.asarray(self._hypotheses(X, self.scale_).scores(self.keys_, self.alpha_))

    def _parts(self, X: Any) -> FloatArray:
        if self.missing_values:
            return stumps_of(self.keys_, self.alpha_).parts(X)
        if not isinstance(self.hypotheses, str):
            raise DataError("functions of your own are not told by feature, got such a model; explain them yourself")
        linear = self._hypotheses(X, self.scale_)
        return np.asarray(linear.scale.scaled(X, np.arange(X.shape[1])) * linear.weights(self.keys_, self.alpha_))

    def to_score_function(self) -> LinearFunction | TreeSum:
        """Stumps as trees, features as a linear function."""
        if not isinstance(self.hypotheses, str):
            raise DataError(
                f"functions of your own cannot be written to another system, got {len(self.hypotheses)}; "
                "export a model of features or stumps"
            )
        kind, names = kind_and_names(self)
        if self.hypotheses == "stumps":
            return TreeSum(kind, names, stumps_of(self.keys_, self.alpha_).merged().trees())
        scale = self.scale_
        weights = FeatureHypotheses(np.zeros((1, len(names))), scale).weights(self.keys_, self.alpha_)
        return LinearFunction(kind, names, weights, 0.0, scale.middle, scale.factor)

    def _told(self) -> dict[str, Any]:
        return told(self)

    def _recall(self, said: dict[str, Any]) -> None:
        recall(self, said)
