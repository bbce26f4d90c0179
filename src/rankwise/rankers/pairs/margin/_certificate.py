"""What a MarginRanker guarantees on its training data, from numbers that anyone can compute again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.kernels.pairs._close_pairs import close_weight
from rankwise.metrics._evaluation import format_table
from rankwise.metrics._ranking import descending_order
from rankwise.objectives.margins._lists import PairLists
from rankwise.objectives.margins._tails import ProductTail, Tail, TailOf
from rankwise.types import FloatArray

CURVE = 101  # margins at which the curve is given
ROUNDING = 1e-12  # a margin this little below another counts as equal


@dataclass(frozen=True)
class MarginCertificate:
    """Of all pairs of the training data, `share` have margin `rho` or more; `guaranteed` is what Suehiro 2011 proves.

    Pairs are by weight, where rows have weights. By products of rows (`reduced`, `heuristic`), each query and grade has
    a margin of its own, which its pairs are counted by, and `rho` is the mean of these. No combination of the
    hypotheses exceeds `bound` in the program's own value, that of the model is `value`, and `gap` is the difference.
    `margins` and `shares` are the curve AUC_{S,ρ}: the share of pairs with each margin or more.
    """

    method: str
    pairs: float
    rho: float
    share: float
    guaranteed: float
    value: float
    bound: float
    margins: tuple[float, ...]
    shares: tuple[float, ...]

    @property
    def gap(self) -> float:
        """How far the best combination may be ahead."""
        return self.bound - self.value

    @property
    def holds(self) -> bool:
        """Whether the share is the guaranteed one or more, but for rounding."""
        return self.share >= self.guaranteed - 1e-9

    def lines(self) -> list[tuple[str, str]]:
        """What is said of it, a name and a text each."""
        return [
            ("pairs", f"{self.pairs:.10g}"),
            ("margin rho", f"{self.rho:.6f}"),
            ("pairs at rho or more", f"{self.share:.4%}"),
            ("guaranteed", f"{self.guaranteed:.4%}"),
            ("value (gamma)", f"{self.value:.8f}"),
            ("no combination exceeds", f"{self.bound:.8f}"),
            ("duality gap", f"{self.gap:.1e}"),
        ]

    def __str__(self) -> str:
        return format_table([("what", "value"), *self.lines()])


def shares_at(lists: PairLists, scores: FloatArray, margins: FloatArray) -> FloatArray:
    """AUC_{S,ρ}: the share of pairs with margin (f_i − f_j)/2 of ρ or more, for each ρ."""
    order = descending_order(scores, lists.offsets)
    given = (scores[order], lists.grade[order], lists.grades, lists.weight[order], lists.offsets)
    total, out = np.empty(lists.grades.size), np.empty(len(margins))
    for k, rho in enumerate(margins):
        close_weight(*given, 2.0 * float(rho) - ROUNDING, 0, lists.grades.size, total)
        out[k] = 1.0 - total.sum() / lists.pairs
    return out


def margin_certificate(
    method: str, lists: PairLists, tail_of: TailOf, tail: Tail, scores: FloatArray, bound: float
) -> MarginCertificate:
    """That of these scores, whose tail is `tail`."""
    # A pair's margin is at most 1, and that of the widest pair at most half the spread of the scores.
    curve = np.linspace(-0.5, 0.5, CURVE) * float(np.ptp(scores))
    if isinstance(tail_of, ProductTail):
        share, guaranteed = _by_block(tail_of, tail, scores)
    else:
        share = float(shares_at(lists, scores, np.array([tail.rho]))[0])
        guaranteed = 1.0 - (0.0 if method == "hard" else tail_of.epsilon)
    return MarginCertificate(
        method=method,
        pairs=lists.pairs,
        rho=tail.rho,
        share=share,
        guaranteed=guaranteed,
        value=tail.value,
        bound=bound,
        margins=tuple(curve.tolist()),
        shares=tuple(shares_at(lists, scores, curve).tolist()),
    )


def _by_block(tail_of: ProductTail, tail: Tail, scores: FloatArray) -> tuple[float, float]:
    """Theorem 3, block by block: pairs of rows that are both outside their tails have the margin of their block."""
    blocks, weight = tail_of.blocks, tail_of.lists.weight
    assert tail.nu is not None
    sure = np.maximum(blocks.weights - tail_of.masses(tail.nu), 0.0)
    reached = 0.0
    for b, (end_better, end_worse) in enumerate(tail.ends):
        better = blocks.better[blocks.better_starts[b] : blocks.better_starts[b + 1]]
        worse = blocks.worse[blocks.worse_starts[b] : blocks.worse_starts[b + 1]]
        reached += _product_share(scores[better], weight[better], scores[worse], weight[worse], end_better - end_worse)
    return reached / float(blocks.pairs.sum()), float((sure[:, 0] * sure[:, 1]).sum() / blocks.pairs.sum())


def _product_share(
    better: FloatArray, of_better: FloatArray, worse: FloatArray, of_worse: FloatArray, gap: float
) -> float:
    """Weight of the pairs of a block that are at least the gap apart."""
    order = np.argsort(worse, kind="stable")
    below = np.append(0.0, np.cumsum(of_worse[order]))
    return float(of_better @ below[np.searchsorted(worse[order], better - gap + ROUNDING, side="right")])
