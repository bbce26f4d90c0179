"""λ's and Hessians of one ranked query: over all pairs, and in linear time.

Shared arguments, all in rank order: `scores` times σ; `classes` of documents, a higher class being the better
one; `heights[r, i]` and `weights[r, a, b]`, which give the change of the metric when i above j are exchanged,

    |ΔM_ij| = Σ_r weights[r, class_i, class_j] · (heights[r, i] − heights[r, j]);

`share` the weight of each document; `pushes` (the λ's) and `curvature` (the Hessians), which are added to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.kernels.compiled import helper, kernel, reassociating_kernel
from rankwise.kernels.expansions import BETWEEN

__all__ = ["all_pairs", "all_pairs_by_gain", "sweep"]

SAFE_SPAN = 600.0  # e^600 and e^−600 are both doubles
DENORMAL = 1e-280  # added where products would become denormal numbers, which are slow


@reassociating_kernel
def all_pairs_by_gain(
    scores: Any, classes: Any, levels: Any, height: Any, c: float, share: Any, pushes: Any, curvature: Any
) -> None:
    """All pairs for |ΔM_ij| = |level_i − level_j| · |height_i − height_j|; c > 0: divided by c + |s_i − s_j|.

    Full rows rather than half of the pairs: sums in registers are faster than stores to two places, and a full row
    faster than one without the pairs of equal class. With e = e^s a pair pushes by e_j/(e_i + e_j), which needs no
    exponential; never by 1 minus that, which cancels.
    """
    n = scores.size
    gain = np.empty(n)
    for i in range(n):
        gain[i] = levels[classes[i]]
    near = scores[0] - scores[n - 1] <= SAFE_SPAN
    e = np.exp(scores - 0.5 * (scores[0] + scores[n - 1])) if near else scores
    for i in range(n):
        push, bend = 0.0, 0.0
        s, k, g, h, e_i = scores[i], classes[i], gain[i], height[i], e[i]
        if near and c == 0.0:
            for j in range(n):
                per = 1.0 / (e_i + e[j])
                w = abs(g - gain[j]) * abs(h - height[j]) * share[j]
                push += w * per * (-e_i if classes[j] > k else e[j])
                bend += w * (e_i * per) * (e[j] * per)
        elif near:
            for j in range(n):
                per = 1.0 / (e_i + e[j])
                w = abs(g - gain[j]) * abs(h - height[j]) * share[j] / (c + abs(s - scores[j]))
                push += w * per * (-e_i if classes[j] > k else e[j])
                bend += w * (e_i * per) * (e[j] * per)
        else:
            for j in range(n):
                z = np.exp(-abs(s - scores[j]))
                mine, theirs = (1.0, z) if s >= scores[j] else (z, 1.0)
                w = abs(g - gain[j]) * abs(h - height[j]) * share[j] / (1.0 + z)
                if c > 0.0:
                    w /= c + abs(s - scores[j])
                push += w * (-mine if classes[j] > k else theirs)
                bend += w * z / (1.0 + z)
        pushes[i] += push * share[i]
        curvature[i] += bend * share[i]


@kernel
def all_pairs(
    scores: Any, classes: Any, heights: Any, weights: Any, c: float, share: Any, pushes: Any, curvature: Any
) -> None:
    """All pairs for any factors; c > 0: divided by c + |s_i − s_j|."""
    n = scores.size
    for i in range(n):
        for j in range(i + 1, n):
            a, b = classes[i], classes[j]
            if a == b:
                continue
            delta = 0.0
            for r in range(heights.shape[0]):
                delta += weights[r, a, b] * (heights[r, i] - heights[r, j])
            if delta == 0.0:
                continue
            x = scores[i] - scores[j]
            z = np.exp(-x)
            w = delta * share[i] * share[j] / (1.0 + z)
            if c > 0.0:
                w /= c + x
            push = w * z if a > b else -w
            bend = w * z / (1.0 + z)
            pushes[i] += push
            pushes[j] -= push
            curvature[i] += bend
            curvature[j] += bend


# What `specialise` replaces for `sweep`: how many factors, classes and exponentials there are.
FACTORS, CLASSES, TERMS = 1, 2, 13


@helper
def _decays(z: float, doubling: bool, terms: int, decay: Any) -> None:
    """z⁰, z¹, z², … each from one half its power, so that few wait for another; or z, z², z⁴, … and two more."""
    if doubling:
        for m in range(terms - 2):
            decay[m] = z
            z *= z
        decay[terms - 2] = decay[BETWEEN] * decay[BETWEEN + 1]
        decay[terms - 1] = decay[BETWEEN + 1] * decay[BETWEEN + 2]
        return
    decay[0] = 1.0
    width = 1
    while width < terms:
        for m in range(width, min(2 * width, terms)):
            decay[m] = decay[m - width] * z
        z *= z
        width *= 2


@reassociating_kernel
def sweep(
    scores: Any,
    classes: Any,
    heights: Any,
    push_weights: Any,
    curvature_weights: Any,
    doubling: bool,
    slowest: float,
    share: Any,
    down: bool,
    pushes: Any,
    curvature: Any,
) -> None:
    """What the documents above (`down`) or below each document do to it, in one pass over the list.

    For each class a and exponential m there is P = Σ share · e^{−t_m x} over the documents passed so far, x being
    their distance in score from the present one, and for each factor r the same sum D of differences in height.
    One step on, past a gap in score with z = e^{−t_m gap}: D ← (D + step in height · P) · z, P ← P · z. Nothing is
    subtracted, so nothing cancels. `push_weights[b, (r, a, m)]` turns D into the λ of a document of class b.
    """
    n = scores.size
    P = np.zeros(CLASSES * TERMS)
    D = np.zeros(FACTORS * CLASSES * TERMS)
    decay = np.ones(CLASSES * TERMS)
    step = 1 if down else -1
    i = 0 if down else n - 1
    for _ in range(n):
        before = i - step
        if 0 <= before < n:
            gap = abs(scores[i] - scores[before])
            _decays(np.exp(-slowest * gap), doubling, TERMS, decay)
            for a in range(1, CLASSES):
                for m in range(TERMS):
                    decay[a * TERMS + m] = decay[m]
            push = 0.0
            bend = 0.0
            b = classes[i]
            for r in range(FACTORS):
                rise = step * (heights[r, before] - heights[r, i])
                start = r * CLASSES * TERMS
                for q in range(CLASSES * TERMS):
                    d = (D[start + q] + rise * P[q]) * decay[q]
                    D[start + q] = d
                    push += push_weights[b, start + q] * d
                    bend += curvature_weights[b, start + q] * d
            for q in range(CLASSES * TERMS):
                P[q] = P[q] * decay[q] + DENORMAL
            pushes[i] += push * share[i]
            curvature[i] += bend * share[i]
        for m in range(TERMS):
            P[classes[i] * TERMS + m] += share[i]
        i += step
