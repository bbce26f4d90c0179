"""What a MarginRanker guarantees on its training data, from numbers that anyone can compute again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from rankwise.kernels.pairs._close_pairs import close_weight
from rankwise.metrics._evaluation import format_table
from rankwise.metrics._ranking import descending_order
from rankwise.objectives.margins._cutting_planes import Cut, Hypotheses, Keys
from rankwise.objectives.margins._lists import PairLists
from rankwise.objectives.margins._tails import MarginProgram, ProductProgram, Tail
from rankwise.rankers.pairs.margin._programs import Method, make_program
from rankwise.types import FloatArray

if TYPE_CHECKING:
    from rankwise.rankers.pairs.margin._fitted import FittedMargins

CURVE_POINTS = 101  # margins at which the curve is given
MARGIN_ROUNDING = 1e-12  # a margin this little below another counts as equal


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
        """Its lines in print, a name and a text each."""
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


@dataclass(frozen=True, eq=False)
class CutPoint:
    """A combination whose tail is a component of the dual solution, with its share."""

    share: float
    keys: Keys
    alpha: FloatArray
    epsilon: float
    number: int

    @classmethod
    def of(cls, share: float, cut: Cut) -> Self:
        """That of a cut."""
        used = np.flatnonzero(cut.alpha)
        return cls(float(share), [cut.keys[k] for k in used], cut.alpha[used], float(cut.program.epsilon), cut.number)


def shares_at(lists: PairLists, scores: FloatArray, margins: FloatArray) -> FloatArray:
    """AUC_{S,ρ}: the share of pairs with margin (f_i − f_j)/2 of ρ or more, for each ρ."""
    order = descending_order(scores, lists.offsets)
    rows = (scores[order], lists.grade[order], lists.grades, lists.weight[order], lists.offsets)
    total, out = np.empty(lists.grades.size), np.empty(len(margins))
    for k, rho in enumerate(margins):
        close_weight(*rows, 2.0 * float(rho) - MARGIN_ROUNDING, 0, lists.grades.size, total)
        out[k] = 1.0 - total.sum() / lists.pairs
    return out


def margin_certificate(
    method: Method, lists: PairLists, program: MarginProgram, tail: Tail, scores: FloatArray, bound: float
) -> MarginCertificate:
    """That of these scores, whose tail is `tail`."""
    # A pair's margin is at most 1, and that of the widest pair at most half the spread of the scores.
    margins = np.linspace(-0.5, 0.5, CURVE_POINTS) * float(np.ptp(scores))
    if isinstance(program, ProductProgram):
        share, guaranteed = _shares_by_block(program, tail, scores)
    else:
        share = float(shares_at(lists, scores, np.array([tail.rho]))[0])
        guaranteed = 1.0 - (0.0 if method == "hard" else program.epsilon)
    return MarginCertificate(
        method=method,
        pairs=lists.pairs,
        rho=tail.rho,
        share=share,
        guaranteed=guaranteed,
        value=tail.value,
        bound=bound,
        margins=tuple(margins.tolist()),
        shares=tuple(shares_at(lists, scores, margins).tolist()),
    )


def _shares_by_block(program: ProductProgram, tail: Tail, scores: FloatArray) -> tuple[float, float]:
    """Theorem 3, block by block: pairs of rows that are both outside their tails have the margin of their block."""
    blocks, weight = program.blocks, program.lists.weight
    assert tail.nu is not None
    outside = np.maximum(blocks.weights - program.masses(tail.nu), 0.0)
    reached = 0.0
    for block, (end_better, end_worse) in enumerate(tail.ends):
        better, worse = blocks.rows(block)
        order = np.argsort(scores[worse], kind="stable")
        below = np.append(0.0, np.cumsum(weight[worse][order]))
        limits = scores[better] - (end_better - end_worse) + MARGIN_ROUNDING
        reached += float(weight[better] @ below[np.searchsorted(scores[worse][order], limits, side="right")])
    return reached / float(blocks.pairs.sum()), float((outside[:, 0] * outside[:, 1]).sum() / blocks.pairs.sum())


def verify_certificate(model: FittedMargins, lists: PairLists, hypotheses: Hypotheses) -> MarginCertificate:
    """A certificate from the weights in a model and from rows, and from nothing that the solver returned.

    The primal value is that of the model's scores, the dual bound that of the tails of its cut points, mixed by their
    shares. Any mixture of tails is a distribution over pairs that the dual program allows, so the largest edge of a
    hypothesis against it is a bound, whoever wrote the file.
    """
    nu = _fitting_nu(model.nu_, lists, model.epsilon_) if model.method == "heuristic" else None
    program = make_program(model.method, lists, model.epsilon_, nu)
    scores = hypotheses.scores(model.keys_, model.alpha_)
    mixed = np.zeros(lists.grade.size)
    total = sum(point.share for point in model.cuts_)
    for point in model.cuts_:
        at = hypotheses.scores(point.keys, point.alpha) if point.keys else np.zeros(lists.grade.size)
        # never a harder program
        point_program = program if point.epsilon <= program.epsilon else program.eased(point.epsilon)
        weights = point_program(at).weights
        mixed += point.share / total * weights[min(point.number, len(weights) - 1)]
    _, bound = hypotheses.best(hypotheses.pricing(mixed), 1)
    return margin_certificate(model.method, lists, program, program(scores), scores, bound)


def _fitting_nu(nu: FloatArray | None, lists: PairLists, epsilon: float) -> FloatArray | None:
    """ν+ where these rows have such blocks, and within what Suehiro 2011 allows: from ε·p to p; else none."""
    if nu is None or nu.size != len(lists.blocks.weights):
        return None
    p = lists.blocks.weights[:, 0]
    return np.clip(nu, epsilon * p, p)
