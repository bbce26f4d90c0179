"""SoftRankBoost: boosting of ranking whose weights are capped (after Moribe, Hatano, Takimoto and Takeda 2008)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rankwise._validation import is_finite_number
from rankwise.errors import ModelFileError
from rankwise.kernels import _threads as threads
from rankwise.kernels.pairs import _capped_weights as kernels
from rankwise.metrics import Metric
from rankwise.rankers._pair_rows import PairRows
from rankwise.rankers._parameters import Constraint, Real
from rankwise.rankers.pairs.stumps._boosted import BoostedStumps, Booster, Round
from rankwise.rankers.pairs.stumps._graded_rows import GradedRows, blocks_of, graded_rows
from rankwise.types import FloatArray

NUMBERS = ("rho", "gamma", "gamma_bound", "share")


class SoftRankBoost(BoostedStumps):
    """Smooth boosting of the soft margin of pairs: no document ever weighs much, so wrong labels do little harm.

    Of p better and n worse documents, pairs are weighted by products d⁺(i)·d⁻(j) with d⁺ ≤ 1/(√ε p) and d⁻ ≤ 1/(√ε n).
    For f, a mean of stumps, let γ(f) be the least mean margin (f(x_i) − f(x_j))/2 under such weights, and γ* the most
    that any mean of stumps has, the optimum of Suehiro 2011's program (7). Round t weighs documents by e^{∓η F/2}, F
    the sum of the stumps so far and η = √(2 ln(1/ε)/t), projected onto the caps, and adds the stump of the largest
    edge, which is at least γ*. This is Hedge on capped weights (Herbster and Warmuth), so after T rounds, for every T,

        γ* − √(2 ln(1/ε)/T) ≤ γ(f) ≤ γ* ≤ the least edge of any round,

    and, as in Suehiro 2011's theorem 3, at least (1 − √ε)² of the pairs have margin ρ ≥ γ(f) or more: ρ is half the
    distance from the score that √ε of the worse documents are above to that which √ε of the better ones are below.

    The derivation: with relative entropies from the uniform weights of at most ln(1/√ε) for each of d⁺ and d⁻, and
    losses h/2 from −½ to ½, the regret of both is at most ln(1/ε)/η_T + Σ_t η_t/4 = √(2 T ln(1/ε)); the mean edge of
    the stumps, each at least γ*, less the regret over T, is at most γ(f).

    More than two labels, and queries: a query's grades are halved, the upper half against the lower, then each half
    again; each such block has weights of its own, within caps of its own, and counts by its share of all pairs. Each
    pair is in one block, so the same holds with γ and ρ means over blocks, and at least (1 − √ε)² of all pairs
    have the margin of their block or more. With weights, shares are of weights, and caps in proportion to them.

    After `fit`, `rho_` is ρ, `gamma_` γ(f), `gamma_bound_` the least edge, `share_` the share of the pairs at the
    margin; `guaranteed_share_` is (1 − √ε)².

    - `epsilon`: share of pairs that may be given up, above 0 and below 1; the more noise in labels, the larger.
    - `metric`, `n_estimators`, `early_stopping_rounds`, `verbose`, and all else as in RankBoost.

    >>> import rankwise.data
    >>> made = rankwise.data.r_of_k(rows=200, features=20, k=5, r=2, noise=0.1)
    >>> model = SoftRankBoost(epsilon=0.25, n_estimators=100).fit(made.X, made.y)
    >>> model.gamma_ <= model.gamma_bound_, model.rho_ >= model.gamma_, model.share_ >= model.guaranteed_share_
    (True, True, True)
    """

    kind: ClassVar[str] = "softrankboost"
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

    def _booster(self, rows: PairRows) -> Booster:
        return CappedBooster(graded_rows(rows), rows.y.size, self.epsilon)

    def _divisor(self, rounds: int) -> float:
        return float(max(rounds, 1))

    def _learned(
        self, rows: PairRows, rounds: list[Round], kept: int, edges: list[float], count: int
    ) -> dict[str, Any]:
        learned = super()._learned(rows, rounds, kept, edges, count)
        booster = CappedBooster(graded_rows(rows), rows.y.size, self.epsilon)
        # each stump weighs 1, so these sums are whole numbers, and equal margins are equal
        booster.scores = learned["rounds_"].scores(rows.X)[booster.rows.order]
        gamma, rho, share = booster.margins().tolist()
        rounds_kept = self._divisor(kept)
        return {
            **learned,
            "gamma_": gamma / rounds_kept,
            "rho_": rho / rounds_kept,
            "gamma_bound_": min(edges[:count]),
            "share_": share,
        }

    def _told(self) -> dict[str, Any]:
        return {**super()._told(), **{name: float(getattr(self, f"{name}_")) for name in NUMBERS}}

    def _recall(self, told: dict[str, Any]) -> None:
        super()._recall(told)
        for name in NUMBERS:
            if not is_finite_number(told.get(name)):
                raise ModelFileError(f"{name} of the model must be a number, got {told.get(name)!r}; save it again")
            setattr(self, f"{name}_", float(told[name]))


class CappedBooster:
    """Weights of documents by the sum of the stumps so far, capped in each block."""

    def __init__(self, rows: GradedRows, n_rows: int, epsilon: float) -> None:
        self.rows, self._n_rows, self._epsilon = rows, n_rows, epsilon
        self.blocks = blocks_of(rows)
        self.scores = np.zeros(rows.order.size)
        self.round = 1

    def row_weights(self) -> FloatArray:
        """d⁺ of better rows, −d⁻ of worse ones, summed over blocks by their shares."""
        rows, blocks = self.rows, self.blocks
        rate = math.sqrt(2.0 * math.log(1.0 / self._epsilon) / self.round) / 2.0
        scratch, u = np.empty((2, rows.order.size))
        given = (self.scores, rate, rows.weight, blocks.starts, blocks.middles, blocks.stops, blocks.shares)
        most = 1.0 / math.sqrt(self._epsilon)
        threads.by_queries(
            lambda low, high: kernels.capped_weights(*given, most, blocks.queries, low, high, scratch, u),
            rows.runs[rows.queries],
        )
        return rows.to_rows(u, self._n_rows)

    def add(self, edge: float, h: NDArray[np.int8]) -> float:
        """Every stump weighs the same."""
        self.scores += h[self.rows.order]
        self.round += 1
        return 1.0

    def margins(self) -> FloatArray:
        """Means over blocks of their least mean margins, of their margins ρ, and of the share of pairs at ρ or more."""
        rows, blocks = self.rows, self.blocks
        found = np.empty((3, blocks.starts.size))
        given = (self.scores, rows.weight, blocks.starts, blocks.middles, blocks.stops, math.sqrt(self._epsilon))
        in_rows = np.append(0, np.cumsum(blocks.stops - blocks.starts))
        threads.by_queries(lambda low, high: kernels.soft_margins(*given, low, high, *found), in_rows)
        return np.asarray(found @ blocks.shares)
