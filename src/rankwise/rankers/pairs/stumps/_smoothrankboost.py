"""SmoothRankBoost: boosting of ranking whose weights are capped."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.kernels import _threads as threads
from rankwise.kernels.pairs import _capped_weights as kernels
from rankwise.metrics import Metric
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import Constraint, Real
from rankwise.rankers._persistence import read_float
from rankwise.rankers.pairs._base import Attributes
from rankwise.rankers.pairs.stumps._boosted import BoostedStumps, RowBooster
from rankwise.rankers.pairs.stumps._graded_rows import GradedRows, graded_rows, halved_blocks
from rankwise.rankers.pairs.stumps._stumps import Stumps
from rankwise.types import FloatArray, JsonObject

SAVED_NUMBERS = ("rho", "gamma", "gamma_bound", "share")


@inherit_sections(BoostedStumps)
class SmoothRankBoost(BoostedStumps):
    """Smooth boosting of the soft margin of pairs: no document ever weighs much, so wrong labels do little harm.

    Labels may be any finite numbers (below 0: not judged), queries of any length, rows in any order; a feature that is
    NaN is missing, and its stumps add 0. Sparse features are never made dense. Nothing is drawn at random.

    Parameters
    ----------
    metric : str or Metric, default="auc"
        What `score` returns and training stops on, not what is learned.
    epsilon : float in (0, 1], default=0.2
        Share of pairs that may be given up, above 0 and below 1; the more noise in labels, the larger.
    n_estimators : int in [1, 1e6], default=1000
        Rounds; fewer if a stump ranks all pairs right, or none is better than chance.
    {...}

    Attributes
    ----------
    rho_ : float
        The margin ρ.
    gamma_ : float
        γ(f), the lowest mean margin of the model under capped weights.
    gamma_bound_ : float
        The lowest edge of any round, which γ* does not exceed.
    share_ : float
        The share of the pairs that have the margin or more.
    guaranteed_share_ : float
        (1 − √ε)², which `share_` is not below.
    {...}

    Notes
    -----
    Of p better and n worse documents, pairs are weighted by products d⁺(i)·d⁻(j) with d⁺ ≤ 1/(√ε p) and d⁻ ≤ 1/(√ε n).
    For f, a mean of stumps, let γ(f) be the lowest mean margin (f(x_i) − f(x_j))/2 under such weights, and γ* the
    highest that any mean of stumps has, the optimum of Suehiro 2011's program (7). Round t weighs documents by
    e^{∓η F/2}, F the sum of the stumps so far and η = √(2 ln(1/ε)/t), projected onto the caps, and adds the stump of
    the largest edge, which is at least γ*. This is Hedge on capped weights (Herbster and Warmuth), so after T rounds,
    for every T,

        γ* − √(2 ln(1/ε)/T) ≤ γ(f) ≤ γ* ≤ the lowest edge of any round,

    and, as in Suehiro 2011's theorem 3, at least (1 − √ε)² of the pairs have margin ρ ≥ γ(f) or more: ρ is half the
    distance from the score that √ε of the worse documents are above to that which √ε of the better ones are below.

    The derivation: with relative entropies from the uniform weights of at most ln(1/√ε) for each of d⁺ and d⁻, and
    losses h/2 from −½ to ½, the regret of both is at most ln(1/ε)/η_T + Σ_t η_t/4 = √(2 T ln(1/ε)); the mean edge of
    the stumps, each at least γ*, less the regret over T, is at most γ(f).

    More than two labels, and queries: a query's grades are halved, the upper half against the lower, then each half
    again; each such block has weights of its own, within caps of its own, and counts by its share of all pairs. Each
    pair is in one block, so the same holds with γ and ρ means over blocks, and at least (1 − √ε)² of all pairs
    have the margin of their block or more. With weights, shares are of weights, and caps in proportion to them.

    It has the guarantee of SoftRankBoost (Moribe, Hatano, Takimoto and Takeda 2008), but is not that algorithm: stumps
    have equal weights here, and the step η is that of Hedge.

    References
    ----------
    Herbster and Warmuth (2001), Tracking the Best Linear Predictor, JMLR 1.
    Suehiro, Hatano and Takimoto (2011), Approximate Reduction from AUC Maximization to 1-norm Soft Margin
    Optimization, ALT.

    Examples
    --------
    >>> import rankwise.data
    >>> data = rankwise.data.r_of_k(rows=200, features=20, k=5, r=2, noise=0.1)
    >>> model = SmoothRankBoost(epsilon=0.25, n_estimators=100).fit(data.X, data.y)
    >>> model.gamma_ <= model.gamma_bound_, model.rho_ >= model.gamma_, model.share_ >= model.guaranteed_share_
    (True, True, True)
    """

    kind: ClassVar[str] = "smoothrankboost"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **BoostedStumps._parameter_constraints,
        "epsilon": [Real(0, 1, open_low=True)],
    }

    def __init__(
        self,
        metric: str | Metric = "auc",
        *,
        epsilon: float = 0.2,
        n_estimators: int = 1000,
        early_stopping_rounds: int | None = 50,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.epsilon = epsilon
        self.n_estimators = n_estimators
        self.early_stopping_rounds = early_stopping_rounds
        self.verbose = verbose

    @property
    def guaranteed_share_(self) -> float:
        """(1 − √ε)², of the pairs."""
        check_is_fitted(self, "n_rows_")
        return (1.0 - math.sqrt(self.epsilon)) ** 2

    def _booster(self, rows: GradedRows) -> RowBooster:
        return CappedBooster(rows, self.epsilon)

    def _divisor(self, rounds: int) -> float:
        return float(max(rounds, 1))

    def _learned(self, rows: PairRows, stumps: Stumps, edges: list[float]) -> Attributes:
        booster = CappedBooster(graded_rows(rows), self.epsilon)
        # each stump weighs 1, so these sums are whole numbers, and equal margins are equal
        booster.scores = stumps.scores(rows.X)[booster.rows.order]
        gamma, rho, share = booster.margins().tolist()
        divisor = self._divisor(len(stumps))
        return super()._learned(rows, stumps, edges) | {
            "gamma_": gamma / divisor,
            "rho_": rho / divisor,
            "gamma_bound_": min(edges),
            "share_": share,
        }

    def _get_state(self) -> JsonObject:
        return super()._get_state() | {name: float(getattr(self, f"{name}_")) for name in SAVED_NUMBERS}

    def _set_state(self, state: JsonObject) -> None:
        super()._set_state(state)
        for name in SAVED_NUMBERS:
            setattr(self, f"{name}_", read_float(state, name))


class CappedBooster(RowBooster):
    """Weights of documents by the sum of the stumps so far, capped in each block."""

    def __init__(self, rows: GradedRows, epsilon: float) -> None:
        super().__init__(rows)
        self._epsilon, self.blocks = epsilon, halved_blocks(rows)

    def row_weights(self) -> FloatArray:
        """d⁺ of better rows, −d⁻ of worse ones, summed over blocks by their shares."""
        rows, blocks = self.rows, self.blocks
        rate = math.sqrt(2.0 * math.log(1.0 / self._epsilon) / self.round) / 2.0
        scratch, u = np.empty((2, rows.order.size))
        lists = (self.scores, rate, rows.weight, blocks.starts, blocks.middles, blocks.stops, blocks.shares)
        cap = 1.0 / math.sqrt(self._epsilon)
        threads.by_queries(
            lambda low, high: kernels.capped_weights(*lists, cap, blocks.queries, low, high, scratch, u),
            rows.runs[rows.queries],
        )
        return rows.to_rows(u)

    def stump_weight(self, edge: float) -> float:
        """Every stump weighs the same."""
        return 1.0

    def margins(self) -> FloatArray:
        """Means over blocks of their lowest mean margins, their margins ρ, and the shares of pairs at ρ or more."""
        rows, blocks = self.rows, self.blocks
        out = np.empty((3, blocks.starts.size))
        lists = (self.scores, rows.weight, blocks.starts, blocks.middles, blocks.stops, math.sqrt(self._epsilon))
        offsets = np.append(0, np.cumsum(blocks.stops - blocks.starts))
        threads.by_queries(lambda low, high: kernels.soft_margins(*lists, low, high, *out), offsets)
        return np.asarray(out @ blocks.shares)
