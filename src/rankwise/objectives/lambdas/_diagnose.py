"""Is there a cost behind a λ-function, and is it convex? Burges 2006 section 4, checked numerically at given scores.

λ is minus the gradient of a cost C (Burges 2006 (3)), so the Hessian of C is minus the Jacobian J_jk = ∂λ_j/∂s_k. (The
paper calls J itself the Hessian, and regularizes by +α·s_j: with the sign of (3) both are to be read with a minus.)
Then

- balance: Σ_j λ_j = 0, or the mean score drifts;
- a cost while the ranking stays: J is symmetric, Burges 2006 (5), by the Poincaré lemma;
- a cost across rankings: Burges 2006 asks for (5) everywhere, but most λ-functions jump where two documents i and j
  change places. Under a cost that is continuous there, only λ_i and λ_j jump, by opposite amounts;
- convexity while the ranking stays: −J is positive semidefinite.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.errors import DataError, ShapeError
from rankwise.metrics._base import Metric
from rankwise.objectives.lambdas._custom import CustomLambda, LambdaFunction
from rankwise.objectives.lambdas._objective import LambdaObjective
from rankwise.types import FloatArray, JsonObject

STEP = 1e-5  # of central differences: errors of STEP² and of rounding/STEP, both far below the tolerance
MIN_GAP = 4 * STEP  # between scores, so that no step changes a rank
MAX_SCORE = 1e8  # beyond, scores are too coarse for such steps
FLAT_SHARE = 1e-4  # λ's that change by less than this share of their size per unit of score count as constant


@dataclass(frozen=True)
class Finding:
    """One condition of a `Diagnosis`.

    Attributes
    ----------
    holds : bool
        Whether the condition holds.
    violation : float
        How far it is broken.
    allowed : float
        How far was allowed.
    pair : tuple of int or None
        The two rows that break it most.
    """

    holds: bool
    violation: float
    allowed: float
    pair: tuple[int, int] | None = None

    def _sentence(self, yes: str, no: str) -> str:
        if self.holds:
            return f"yes: {yes}"
        where = "" if self.pair is None else f"; worst for rows {self.pair[0]} and {self.pair[1]}"
        return f"NO: {no} by {self.violation:.3g} (allowed {self.allowed:.1g}){where}"


@dataclass(frozen=True)
class Diagnosis:
    """What `diagnose` finds of a λ-function; rows are counted from 0 in the order of the input.

    Each condition has `holds`, `violation`, `allowed` and the `pair` of rows that breaks it most. `print` shows all.

    Parameters
    ----------
    balanced : Finding
        The λ's sum to zero.
    symmetric : Finding
        A cost exists while the ranking stays.
    across_ranks : Finding
        No other λ jumps where two documents change places.
    convex : Finding or None
        The cost is convex while the ranking stays; None where no cost exists.
    n : int
        Documents.
    moved : float
        How far a score was moved to set equal ones apart.

    Examples
    --------
    >>> from rankwise.objectives import diagnose
    >>> diagnosis = diagnose("ndcg", [0, 2, 1], [0.3, 0.1, 0.2])
    >>> diagnosis.symmetric.holds, diagnosis.across_ranks.holds, diagnosis.across_ranks.pair
    (True, False, (0, 2))
    """

    balanced: Finding
    symmetric: Finding
    across_ranks: Finding
    convex: Finding | None
    n: int
    moved: float

    def to_dict(self) -> JsonObject:
        """Give all findings as plain values.

        Returns
        -------
        dict
            By condition `holds`, `violation`, `allowed` and `pair`; `n` and `moved`.
        """
        return asdict(self)

    def __str__(self) -> str:
        convex = "–: there is no cost"
        if self.convex is not None:
            convex = self.convex._sentence("−J has no eigenvalue below 0", "−J has an eigenvalue below 0")
        rows = {
            "the λ's sum to zero": self.balanced._sentence("the mean score stays", "the mean score drifts"),
            "a cost exists": self.symmetric._sentence("J is symmetric", "J is not symmetric"),
            "across rank changes": self.across_ranks._sentence("no other λ jumps there", "other λ's jump there"),
            "the cost is convex": convex,
        }
        lines = [f"λ's of {self.n} documents; J = ∂λ/∂s while the ranking stays"]
        lines += [f"  {name:<20} {text}" for name, text in rows.items()]
        if self.moved:
            lines.append(f"  examined beside the scores passed: equal ones were set apart, by at most {self.moved:.2g}")
        return "\n".join(lines)


def diagnose(
    lambda_function: LambdaFunction | str | Metric, y: ArrayLike, scores: ArrayLike, *, tolerance: float = 1e-5
) -> Diagnosis:
    """Check whether the λ's of one query sum to zero, come from a cost, and from a convex one, at these scores.

    The λ-function is called four times per document. Scores closer than 4e-5 are first set that far apart.

    Parameters
    ----------
    lambda_function : callable, str or Metric
        A λ-function as `CustomLambda` takes it, or a metric for its λ's.
    y : array-like of shape (n_documents,)
        Labels of one query.
    scores : array-like of shape (n_documents,)
        The scores at which to check.
    tolerance : float, default=1e-5
        Relative to the largest entry of the Jacobian; for the sum of the λ's to Σ|λ|, for jumps to the largest λ.

    Returns
    -------
    Diagnosis
        What holds, and the pair of rows that breaks most what does not.

    Notes
    -----
    λ is minus the gradient of a cost C, so the Hessian of C is −J with J_jk = ∂λ_j/∂s_k. Checked are Σ_j λ_j = 0;
    J = Jᵀ, Burges 2006 (5); that where documents i and j change places only λ_i and λ_j jump, by opposite amounts; and
    that −J is positive semidefinite.

    References
    ----------
    Christopher J. C. Burges, Robert Ragno and Quoc V. Le (2006). Learning to Rank with Nonsmooth Cost Functions.
    Advances in Neural Information Processing Systems 19.

    Examples
    --------
    >>> def ranknet(labels, scores):
    ...     better = np.sign(labels[:, None] - labels)
    ...     miss = 1 / (1 + np.exp(better * (scores[:, None] - scores)))
    ...     return (better * miss).sum(axis=1), (better**2 * miss * (1 - miss)).sum(axis=1)
    >>> print(diagnose(ranknet, [0, 2, 1], [0.3, 0.1, 0.2]))
    λ's of 3 documents; J = ∂λ/∂s while the ranking stays
      the λ's sum to zero  yes: the mean score stays
      a cost exists        yes: J is symmetric
      across rank changes  yes: no other λ jumps there
      the cost is convex   yes: −J has no eigenvalue below 0
    """
    labels, values = as_vector("labels", y), as_vector("scores", scores)
    if labels.size != values.size:
        raise ShapeError(f"y and scores must have one entry per row, got {labels.size} and {values.size}")
    if labels.size < 2:
        raise DataError("a query of 1 document has no pairs to examine; pass the rows of a longer one")
    far = int(np.abs(values).argmax())
    if abs(values[far]) > MAX_SCORE:
        raise DataError(
            f"scores must be within ±{MAX_SCORE:g} to be moved in steps of {STEP:g}, got {values[far]} at row {far}; "
            "subtract their mean"
        )
    if not 0.0 < tolerance < 1.0:
        raise DataError(f"tolerance must be between 0 and 1, got {tolerance!r}; 1e-5 is usual")

    def make_lambdas(y: FloatArray, qid: ArrayLike | None = None) -> Callable[[FloatArray], FloatArray]:
        if isinstance(lambda_function, str | Metric):
            return _minus(LambdaObjective(lambda_function, y, qid, method="exact", norm=None))
        return _minus(CustomLambda(lambda_function, y, qid))

    lambdas = make_lambdas(labels)
    s = _set_apart(values)
    at_s = lambdas(s)
    jacobian = _jacobian(lambdas, s)
    allowed = tolerance * max(float(np.abs(jacobian).max()), FLAT_SHARE * float(np.abs(at_s).max()))
    symmetric = _symmetric(jacobian, allowed)
    return Diagnosis(
        balanced=_balanced(at_s, tolerance, lambda: _drifting_pair(make_lambdas, labels, s, jacobian, allowed)),
        symmetric=symmetric,
        across_ranks=_across_ranks(lambdas, s, tolerance),
        convex=_convex(jacobian, allowed) if symmetric.holds else None,
        n=labels.size,
        moved=float(np.abs(s - values).max()),
    )


def _minus(objective: LambdaObjective | CustomLambda) -> Callable[[FloatArray], FloatArray]:
    return lambda scores: -objective.gradients(scores)[0]  # Burges 2006 (3): λ = −∂C/∂s


def _set_apart(scores: FloatArray) -> FloatArray:
    """Scores in the same order, neighbours in rank at least `MIN_GAP` from each other."""
    order = np.argsort(-scores, kind="stable")
    gaps = -np.diff(scores[order])
    if gaps.min() >= MIN_GAP:
        return scores
    apart = np.empty_like(scores)
    apart[order] = scores.max() - np.concatenate(([0.0], np.cumsum(np.maximum(gaps, MIN_GAP))))
    return apart


def _jacobian(lambdas: Callable[[FloatArray], FloatArray], s: FloatArray) -> FloatArray:
    """J_jk = ∂λ_j/∂s_k by central differences."""
    J = np.empty((s.size, s.size))
    for k in range(s.size):
        above, below = s.copy(), s.copy()
        above[k] += STEP
        below[k] -= STEP
        J[:, k] = (lambdas(above) - lambdas(below)) / (above[k] - below[k])
    return J


def _largest(pairs: FloatArray) -> tuple[int, int]:
    """Row and column of the largest entry, the smaller first."""
    i, j = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
    return int(min(i, j)), int(max(i, j))


def _balanced(at_s: FloatArray, tolerance: float, pair: Callable[[], tuple[int, int] | None]) -> Finding:
    drift, allowed = abs(float(at_s.sum())), tolerance * float(np.abs(at_s).sum())
    holds = drift <= allowed
    return Finding(holds, drift, allowed, None if holds else pair())


def _drifting_pair(
    make_lambdas: Callable[..., Callable[[FloatArray], FloatArray]],
    y: FloatArray,
    s: FloatArray,
    J: FloatArray,
    allowed: float,
) -> tuple[int, int] | None:
    """The two rows on whose scores Σλ depends most; if on none, those that drift most when alone in a list.

    Both are Newton's third law: a force of j on i that is not returned changes with s_i and s_j, and moves the pair.
    """
    felt = np.abs(J.sum(axis=0))
    second, first = np.argsort(felt)[-2:]
    if felt[second] > allowed:
        return int(min(first, second)), int(max(first, second))
    i, j = np.triu_indices(y.size, 1)
    rows = np.column_stack((i, j)).ravel()
    try:
        alone = make_lambdas(y[rows], np.repeat(np.arange(i.size), 2))(s[rows]).reshape(-1, 2)
    except Exception:  # a user's function that cannot take lists of two documents
        return None
    drifts = np.abs(alone.sum(axis=1))
    worst = int(np.argmax(drifts))
    return (int(i[worst]), int(j[worst])) if drifts[worst] > 0 else None


def _symmetric(J: FloatArray, allowed: float) -> Finding:
    difference = np.abs(J - J.T)  # Burges 2006 (5)
    violation = float(difference.max())
    holds = violation <= allowed
    return Finding(holds, violation, allowed, None if holds else _largest(difference))


def _across_ranks(lambdas: Callable[[FloatArray], FloatArray], s: FloatArray, tolerance: float) -> Finding:
    """Let each document meet the next one in rank half-way, and compare the λ's just before and just after."""
    order = np.argsort(-s, kind="stable")
    near = max(1e-9, 4 * float(np.spacing(np.abs(s).max())))
    worst, largest, pair = 0.0, 0.0, None
    for upper, lower in itertools.pairwise(order):
        middle = (s[upper] + s[lower]) / 2
        before, after = s.copy(), s.copy()
        before[upper] = after[lower] = middle + near
        before[lower] = after[upper] = middle - near
        at = lambdas(before)
        jump = lambdas(after) - at
        jump[[upper, lower]] = jump[[upper, lower]].mean()  # what is along s_upper − s_lower is allowed
        largest = max(largest, float(np.abs(at).max()))
        if np.abs(jump).max() > worst:
            worst, pair = float(np.abs(jump).max()), (int(min(upper, lower)), int(max(upper, lower)))
    allowed = tolerance * largest
    return Finding(worst <= allowed, worst, allowed, None if worst <= allowed else pair)


def _convex(J: FloatArray, allowed: float) -> Finding:
    """−J ≥ 0. Where it is not, the pair named gives most to the curvature along its eigenvector.

    With balanced λ's, vᵀ(−J)v = Σ_{i<j} J_ij (v_i − v_j)²: a pair bends the cost down where its J_ij is negative.
    """
    hessian = -(J + J.T) / 2
    values, vectors = np.linalg.eigh(hessian)
    violation = max(0.0, -float(values[0]))
    allowed *= J.shape[0]  # an eigenvalue adds up the errors of a row
    if violation <= allowed:
        return Finding(True, violation, allowed)
    v = vectors[:, 0]
    return Finding(False, violation, allowed, _largest(hessian * (v[:, None] - v[None, :]) ** 2))
