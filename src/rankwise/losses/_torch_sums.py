"""λ's and costs in linear time by torch's own operations, parallel over documents, on any device.

For exponential m and class a, with s falling and x = s_i − s_j ≥ 0 for i above j,

    P_j = Σ_{i above j} share_i e^{−t_m x}   is e^{t_m s_j} times a running sum of share_i e^{−t_m s_i}, and
    D_j = Σ_{i above j} share_i (height_i − height_j) e^{−t_m x}   is e^{t_m s_j} times one of step_k e^{L_k},

where L_k is the log of the first running sum down to k and step_k = height_k − height_{k+1}. Both running sums are of
positive numbers and kept as logarithms (`logcumsumexp`), so nothing cancels or overflows, however far scores lie apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch.nn.functional import pad

from rankwise.kernels.pairs._expansions import PairTerms, divided_terms, plain_terms, reach
from rankwise.kernels.pairs._lambda_costs import log_terms
from rankwise.losses._ranked_factors import RankedQueries
from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray

Tensor = torch.Tensor


def pair_sums(ranked: RankedQueries, scores: Tensor, sigma: float, gap: float | None) -> tuple[Tensor, Tensor]:
    """Gradient by the scores, and the cost of all queries; `gap`: the gradient with |ΔM| over gap + |s_i − s_j|."""
    device = scores.device
    kind = torch.float32 if device.type == "mps" else torch.float64
    rows = torch.from_numpy(ranked.rows).to(device)
    steep = (scores.to(kind) * sigma)[rows]
    spread = float(steep.max() - steep.min())
    terms = plain_terms() if gap is None else divided_terms(gap * sigma, reach(spread))
    pushes, cost = torch.zeros_like(steep), torch.zeros((), dtype=kind, device=device)
    for queries, index, real in _by_length(ranked.offsets):
        lists = _Lists(ranked, steep, queries, index, real)
        of_lists = lists.pushes(terms)
        at = torch.from_numpy(index[real]).to(device)
        pushes[at] = of_lists[torch.from_numpy(real).to(device)]
        cost += lists.cost()
    gradient = torch.empty_like(pushes)
    gradient[rows] = pushes * -(sigma if gap is None else sigma**2)  # with `gap`, |ΔM| was divided by a gap of σ·s
    return gradient, cost


def _by_length(offsets: IntArray) -> Iterator[tuple[IntArray, IntArray, BoolArray]]:
    """Queries of like length: their numbers, the place of each document, and which places are not padding."""
    sizes = np.diff(offsets)
    lengths = np.ceil(np.log2(np.maximum(sizes, 2))).astype(int)
    for length in np.unique(lengths):
        queries = np.flatnonzero(lengths == length)
        places = np.arange(int(sizes[queries].max()))
        index = offsets[queries][:, None] + np.minimum(places, sizes[queries][:, None] - 1)
        yield queries, index, places < sizes[queries][:, None]


class _Lists:
    """Lists of like length in rank order, padded with their last document at no weight."""

    def __init__(
        self, ranked: RankedQueries, scores: Tensor, queries: IntArray, index: IntArray, real: BoolArray
    ) -> None:
        def put(array: AnyArray) -> Tensor:
            tensor = torch.from_numpy(np.ascontiguousarray(array)).to(scores.device)
            return tensor if tensor.dtype == torch.int64 else tensor.to(scores.dtype)

        self.scores = scores[torch.from_numpy(index).to(scores.device)]
        self.classes = put(ranked.classes[index])
        self.share = put(ranked.share[index] * real)
        self.present = np.unique(ranked.classes[index]).tolist()
        self.heights: list[Tensor | None] = [None]
        self.weights: Tensor | None = None
        if ranked.heights is not None and ranked.weights is not None:
            self.heights = [put(height[index]) for height in ranked.heights]
            self.weights = put(ranked.weights[queries])

    def _of_class(self, a: int) -> Tensor:
        return self.share * (self.classes == a)

    def _weight(self, r: int, a: int, above: bool) -> Tensor | float:
        """Weight of each document's pair with one of class `a` that is above it, or below."""
        if self.weights is None:
            return 1.0
        table = self.weights[:, r, a, :] if above else self.weights[:, r, :, a]
        return torch.gather(table, 1, self.classes)

    def pushes(self, terms: PairTerms) -> Tensor:
        """λ's: a document is pushed down by better ones and up by worse ones (see `lambda_loops.sweep_weights`)."""
        total = torch.zeros_like(self.scores)
        rates, right, wrong = _with_constant(terms)
        for a in self.present:
            share, better, worse = self._of_class(a), self.classes < a, self.classes > a
            for r, height in enumerate(self.heights):
                above = _sums(self.scores, share, height, rates, (right, wrong))
                total += self._weight(r, a, True) * (worse * above[1] - better * above[0])
                below = _sums(-self.scores.flip(1), share.flip(1), _turned(height), rates, (right, wrong))
                total += self._weight(r, a, False) * (worse * below[0].flip(1) - better * below[1].flip(1))
        return total * self.share

    def cost(self) -> Tensor:
        """Σ |ΔM_ij| log(1 + e^{∓x}) over all pairs (see `kernels.pairs._lambda_costs`)."""
        total = torch.zeros_like(self.scores)
        logs = log_terms()
        for a in self.present:
            share, others, worse = self._of_class(a), self.classes != a, self.classes > a
            for r, height in enumerate(self.heights):
                (near,) = _sums(self.scores, share, height, np.arange(1.0, logs.size + 1), (logs,))
                far = _distances(self.scores, share, height)
                total += self._weight(r, a, True) * (others * near + worse * far)
        return (total * self.share).sum()


def _with_constant(terms: PairTerms) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rates t_m of the exponentials, a rate of 0 before them, and their weights in pairs that are right and wrong."""
    rates = np.arange(1.0, terms.right.size + 1)
    if terms.between:
        doubled = terms.slowest * 2.0 ** np.arange(terms.right.size - 2)
        near = slice(terms.between, terms.between + 2), slice(terms.between + 1, terms.between + 3)
        rates = np.append(doubled, doubled[near[0]] + doubled[near[1]])
    return np.append(0.0, rates), np.append(0.0, terms.right), np.append(terms.constant, terms.wrong)


def _turned(height: Tensor | None) -> Tensor | None:
    return None if height is None else -height.flip(1)


def _sums(
    scores: Tensor, share: Tensor, height: Tensor | None, rates: FloatArray, weights: Sequence[FloatArray]
) -> list[Tensor]:
    """For each set of weights w, Σ_m w_m D_m of each document, over those above it (P_m without heights)."""
    totals = [torch.zeros_like(scores) for _ in weights]
    s = scores - scores[:, :1]
    log_share = share.log()
    steps = [] if height is None else _signed_logs(height[:, :-1] - height[:, 1:])
    for m, rate in enumerate(rates.tolist()):
        passed = torch.logcumsumexp(log_share - rate * s, dim=1)[:, :-1]
        rise = rate * s[:, 1:]
        if height is None:
            term = (passed + rise).exp()
        else:
            term = torch.zeros_like(passed)
            for sign, log_step in steps:
                term += sign * (torch.logcumsumexp(log_step + passed, dim=1) + rise).exp()
        for total, weight in zip(totals, weights, strict=True):
            total[:, 1:] += float(weight[m]) * term
    return totals


def _signed_logs(steps: Tensor) -> list[tuple[float, Tensor]]:
    """Logarithms of the positive parts, and of the negative ones where there are any (no metric of ours has)."""
    parts = [(sign, (sign * steps).clamp(min=0.0)) for sign in (1.0, -1.0)]
    return [(sign, part.log()) for sign, part in parts if sign > 0 or bool(part.any())]


def _distances(scores: Tensor, share: Tensor, height: Tensor | None) -> Tensor:
    """Σ share_i · (height_i − height_j) · (s_i − s_j) over the documents above (without heights: share · distance).

    Running sums of what each step down adds: with C, S and H the sums of share, share · distance and share · height.
    """

    def running(additions: Tensor) -> Tensor:
        return pad(torch.cumsum(additions, dim=1), (1, 0))

    count = torch.cumsum(share, dim=1)[:, :-1]
    gap = scores[:, :-1] - scores[:, 1:]
    distance = running(gap * count)
    if height is None:
        return distance
    rise = height[:, :-1] - height[:, 1:]
    risen = running(rise * count)
    return running(rise * distance[:, :-1] + gap * risen[:, :-1] + rise * gap * count)
