"""Which candidate, or which average of candidates of different families, is kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rankwise.metrics import Evaluation
from rankwise.metrics._evaluation import finite_or_none
from rankwise.metrics.comparison._statistics import format_p_value, linearized, paired_t
from rankwise.selection._leaderboard import Entry, Leaderboard
from rankwise.selection._portfolio import family_of
from rankwise.selection._search import MAX_MEMBERS, Search
from rankwise.types import FloatArray, IntArray

SINGLE_P = 0.3  # below which a candidate that is ahead of the best blend is kept by itself: about one standard error
DIGITS = 12  # to which means are compared: less is rounding

Members = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Choice:
    """Names of the chosen candidates, by what their scores are multiplied before they are added up, and a report."""

    weights: dict[str, float]
    value: float
    leaderboard: Leaderboard


def choose(search: Search) -> Choice:
    """Judge candidates and blends by all queries, each held out once.

    A blend is the plain average of scores, each divided by how far they spread within a query on average. Averages
    win more often than their lead on the folds says (docs/selection.md), so the best blend is kept unless the best
    candidate is ahead of it with p < 0.3 by a paired t-test.
    """
    state, folds = search.state, search.folds
    names = state.finished
    scores = {name: state.scores(name, folds) for name in names}
    lists = folds.of_row if folds.one_list else search.rows.qid
    spreads = {name: spread(scores[name], lists) for name in names}

    def evaluated(members: Members) -> Evaluation:
        total = scores[members[0]] if len(members) == 1 else sum(scores[name] / spreads[name] for name in members)
        return folds.evaluate(search.rows, np.asarray(total), search.metric)

    evaluations: dict[Members, Evaluation] = {(name,): evaluated((name,)) for name in names}
    metric = str(search.metric)
    means = {members: round(evaluation[metric], DIGITS) for members, evaluation in evaluations.items()}
    single = max(means, key=means.__getitem__)  # the first, which is the cheapest, of equals
    by_family: dict[str, str] = {}
    for name in names:
        held = by_family.setdefault(family_of(search.candidates[name]), name)
        if means[(name,)] > means[(held,)]:
            by_family[family_of(search.candidates[name])] = name
    blends = [
        members
        for size in range(2, MAX_MEMBERS + 1)
        for members in combinations([name for name in by_family.values() if spreads[name] > 0.0], size)
    ]
    for members in blends:
        evaluations[members] = evaluated(members)
        means[members] = round(evaluations[members][metric], DIGITS)
    chosen, why = single, "chosen: the best"
    if blends:
        blend = max(blends, key=means.__getitem__)
        ahead = means[single] - means[blend]
        p = _p(evaluations[single], evaluations[blend], metric)
        if ahead <= 0 or math.isnan(p) or p >= SINGLE_P:
            chosen = blend
            why = "chosen: the best" if ahead <= 0 else f"chosen: no candidate is surely better (p {format_p_value(p)})"
        else:
            why = f"chosen: {ahead:.4f} ahead of the best blend (p {format_p_value(p)})"
    entries = [
        _entry(
            search,
            members,
            evaluations[members],
            why if members == chosen else _behind(evaluations, members, chosen, metric),
        )
        for members in sorted(means, key=lambda members: (members != chosen, -means[members]))
    ]
    entries += [_entry(search, (name,), None, reason) for name, reason in state.dropped.items()]
    weights = {name: 1.0 if len(chosen) == 1 else 1.0 / (len(chosen) * spreads[name]) for name in chosen}
    return Choice(weights, evaluations[chosen][metric], Leaderboard(metric, tuple(entries)))


def spread(scores: FloatArray, lists: IntArray) -> float:
    """The mean over lists of the standard deviation of their scores; the same for any order of the rows."""
    order = np.lexsort((scores, lists))
    starts = np.flatnonzero(np.diff(lists[order], prepend=-1))
    deviations = [float(part.std()) for part in np.split(scores[order], starts[1:]) if part.size > 1]
    return math.fsum(deviations) / len(deviations) if deviations else 0.0


def _p(first: Evaluation, second: Evaluation, metric: str) -> float:
    a, b, weight = first.per_query[metric], second.per_query[metric], first.query_weight
    counted = ~np.isnan(a) & ~np.isnan(b)
    w = None if weight is None else weight[counted]
    return paired_t(linearized(a[counted], w), linearized(b[counted], w))


def _behind(evaluations: dict[Members, Evaluation], members: Members, chosen: Members, metric: str) -> str:
    """How far it is from the chosen, and how sure that is."""
    if members[0] in chosen and len(members) == 1:
        return "in the blend"
    difference = evaluations[members][metric] - evaluations[chosen][metric]
    p = _p(evaluations[members], evaluations[chosen], metric)
    return f"{difference:+.4f} (p {format_p_value(p)})"


def _entry(search: Search, members: Sequence[str], evaluation: Evaluation | None, outcome: str) -> Entry:
    fits = [fit for name in members for fit in search.state.fits.get(name, [])]
    metric = str(search.metric)
    low, high = (math.nan, math.nan) if evaluation is None else evaluation.interval(metric)
    return Entry(
        name=members[0] if len(members) == 1 else f"blend of {' + '.join(members)}",
        value=None if evaluation is None else finite_or_none(evaluation[metric]),
        low=finite_or_none(low),
        high=finite_or_none(high),
        fits=len(fits),
        cpu_seconds=sum(fit.cpu_seconds for fit in fits),
        outcome=outcome,
    )
