"""From the grades of several labellers to one label per item, and how far they agree beyond chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rankwise.data.io._trec import UNJUDGED
from rankwise.errors import DataError, ShapeError
from rankwise.types import FloatArray


@dataclass(frozen=True)
class PairAgreement:
    """Two labellers on the items that both have judged.

    Parameters
    ----------
    first : str
        One labeller.
    second : str
        The other labeller.
    items : int
        How many items both have judged.
    same : float
        The share of these items to which both gave the same grade.
    kappa : float
        Cohen's kappa, (p_o − p_e)/(1 − p_e), where p_o is `same` and p_e is the agreement by chance at each labeller's
        own frequencies of the grades; NaN where chance alone gives full agreement.

    References
    ----------
    Cohen (1960). A coefficient of agreement for nominal scales.
    """

    first: str
    second: str
    items: int
    same: float
    kappa: float


@dataclass(frozen=True)
class Agreement:
    """All labellers on the items judged by more than one, pair by pair and by Fleiss' kappa.

    A kappa is 1 for full agreement, 0 for what chance gives, NaN where chance alone gives full agreement (all grades
    are equal) or where there is no such item. `str` shows it all.

    Parameters
    ----------
    items : int
        How many items more than one labeller has judged.
    pairs : tuple of PairAgreement
        The agreement of each pair of labellers that have judged an item in common.
    fleiss : float
        Fleiss' kappa of all labellers, see `fleiss_kappa`.
    """

    items: int
    pairs: tuple[PairAgreement, ...]
    fleiss: float

    def __str__(self) -> str:
        lines = [
            f"{p.first} – {p.second}: {p.items} items, {p.same:.1%} the same, Cohen's kappa {p.kappa:.3f}"
            for p in self.pairs
        ]
        return "\n".join([*lines, f"all: {self.items} items, Fleiss' kappa {self.fleiss:.3f}"])


def fleiss_kappa(counts: ArrayLike) -> float:
    """Agreement of several labellers beyond chance.

    Observed is the mean over items of the share of pairs of labellers that agree, chance is that of two draws from all
    grades. Fleiss (1971) has as many labellers for each item; here that may differ, from two up. For two labellers,
    scikit-learn has `sklearn.metrics.cohen_kappa_score`.

    Parameters
    ----------
    counts : array-like of shape (n_items, n_grades)
        How many labellers gave each grade to each item.

    Returns
    -------
    float
        (p_o − p_e)/(1 − p_e): 1 for full agreement, 0 for what chance gives; NaN where there is no item or all grades
        are equal.

    Raises
    ------
    ShapeError
        If `counts` is not a matrix.
    DataError
        If an item was judged less than twice.

    References
    ----------
    Fleiss (1971). Measuring nominal scale agreement among many raters.

    Examples
    --------
    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1], [2, 1]]), 3)
    0.314
    """
    table: FloatArray = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2:
        raise ShapeError(f"counts must have a row per item and a column per grade, got shape {table.shape}")
    if table.shape[0] == 0:
        return float("nan")
    judged = table.sum(axis=1)
    if (judged < 2).any():
        row = int(np.flatnonzero(judged < 2)[0])
        raise DataError(f"an item must be judged at least twice, got {judged[row]:g} at row {row}; leave it out")
    observed = ((table * (table - 1)).sum(axis=1) / (judged * (judged - 1))).mean()
    by_chance = ((table.sum(axis=0) / table.sum()) ** 2).sum()
    # Frequencies are sums of few fractions: only full agreement by chance comes this close to 1.
    return float("nan") if by_chance > 1 - 1e-12 else float((observed - by_chance) / (1 - by_chance))


def agreement_of(judged: Iterable[tuple[int, str, int]]) -> Agreement:
    """The agreement of grades in force, given as item, labeller, grade."""
    from sklearn.metrics import cohen_kappa_score  # loads much that judging does not need

    by_labeller: dict[str, dict[int, int]] = {}
    by_item: dict[int, list[int]] = {}
    for item, labeller, grade in judged:
        by_labeller.setdefault(labeller, {})[item] = grade
        by_item.setdefault(item, []).append(grade)
    shared = [grades for grades in by_item.values() if len(grades) > 1]
    counts = np.zeros((len(shared), 1 + max((max(grades) for grades in shared), default=0)))
    for row, grades in enumerate(shared):
        np.add.at(counts[row], grades, 1)
    pairs = []
    for first, second in combinations(sorted(by_labeller), 2):
        both = sorted(by_labeller[first].keys() & by_labeller[second].keys())
        if both:
            grades_of_two = np.array([[by_labeller[name][item] for item in both] for name in (first, second)])
            same = float((grades_of_two[0] == grades_of_two[1]).mean())
            is_defined = (grades_of_two != grades_of_two[0, 0]).any()
            kappa = float(cohen_kappa_score(*grades_of_two)) if is_defined else float("nan")
            pairs.append(PairAgreement(first, second, len(both), same, kappa))
    return Agreement(len(shared), tuple(pairs), fleiss_kappa(counts))


def majority(items: Sequence[int], grades: Sequence[int], n_items: int) -> FloatArray:
    """The grade that most labellers gave to each item, of equally frequent ones the lowest; -1 where there is none.

    The lowest, because a relevant document is the rarer and the stronger claim: it needs a majority.

    >>> majority(items=[0, 0, 0, 2, 2], grades=[3, 1, 3, 4, 0], n_items=3)
    array([ 3., -1.,  0.])
    """
    labels = np.full(n_items, UNJUDGED)
    if len(items):
        judged, place = np.unique(items, return_inverse=True)
        votes = np.zeros((len(judged), max(grades) + 1), dtype=np.int64)
        np.add.at(votes, (place, np.asarray(grades)), 1)
        labels[judged] = votes.argmax(axis=1)  # the first of equal counts
    return labels
