"""Why one document stands above another, and why a query is ranked as it is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.plot._axes import ink, key, name_axes, name_ticks, own_axes, rule, short
from rankwise.plot._style import series_colour
from rankwise.rankers import Explanation

OTHERS = "all others"


def waterfall(explanation: Explanation, *, top: int = 8, ax: Axes | None = None) -> Axes:
    """Draw how features add up to the difference of two scores, those that add or take most first.

    Parameters
    ----------
    explanation : Explanation
        What `model.explain(X, i, j)` returned.
    top : int, default=8
        How many features to show; the others are one bar.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.
    """
    order = np.argsort(-np.abs(explanation.contributions), kind="stable")
    shown = [int(k) for k in order[:top] if explanation.contributions[k] != 0]
    names = [explanation.features[k] for k in shown]
    adds = [float(explanation.contributions[k]) for k in shown]
    rest = float(explanation.contributions.sum()) - sum(adds)
    if np.count_nonzero(explanation.contributions) > len(shown):
        names, adds = [*names, OTHERS], [*adds, rest]
    ends = np.cumsum([0.0, *adds])
    ax = own_axes(ax, (5.4, 1.3 + 0.3 * len(adds)))
    for place, (add, start, end) in enumerate(zip(adds, ends[:-1], ends[1:], strict=True)):
        ax.barh(place, add, left=start, color=series_colour(0 if add >= 0 else 1), height=0.7)
        ax.plot([end, end], [place - 0.35, min(place + 1.35, len(adds))], color=ink(), linewidth=0.6)
    ax.barh(len(adds), ends[-1], color=ink(), alpha=0.5, height=0.7)
    ax.axvline(0.0, color=rule(), linewidth=0.8)
    name_ticks(ax, [*names, "difference"])
    name_axes(ax, f"score of row {explanation.i} less that of row {explanation.j}", "")
    return ax


def query_waterfall(
    model: Any, data: RankingData, query: object = None, *, top: int = 6, features: int = 4, ax: Axes | None = None
) -> Axes:
    """Draw which features put each document of a query above the next one.

    Parameters
    ----------
    model : Ranker
        A fitted model with `explain`.
    data : RankingData
        Rows, those of the query among them.
    query : optional
        The query; by default the first, which is all rows of one list.
    top : int, default=6
        How many documents, from the best on.
    features : int, default=4
        How many features have a colour, those that add most in all pairs; the others are one.
    ax : Axes, optional
        Where to draw; by default axes on a figure of their own.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    DataError
        If there is no such query, or the model does not explain.
    """
    if not hasattr(model, "explain"):
        raise DataError(f"only models that rank can explain, got {type(model).__name__}; pass another model")
    rows = _rows_of(data, query)
    scores = model.scores(data.rows(rows))
    best = rows[np.argsort(-scores, kind="stable")[:top]]
    if best.size < 2:
        raise DataError("a query of one document has no order to explain; name another query")
    documents = data.rows(best)
    pairs = [model.explain(documents, a, b) for a, b in pairwise(range(best.size))]
    adds = np.array([pair.contributions for pair in pairs])
    most = np.argsort(-np.abs(adds).sum(axis=0), kind="stable")[:features]
    parts = [(pairs[0].features[k], adds[:, k]) for k in most]
    if adds.shape[1] > most.size:
        parts.append((OTHERS, adds.sum(axis=1) - adds[:, most].sum(axis=1)))
    ax = own_axes(ax, (6.4, 1.4 + 0.4 * len(pairs)))
    _stack(ax, parts)
    ids = [f"row {row}" if data.doc_ids is None else str(data.doc_ids[row]) for row in best]
    name_ticks(ax, [f"{short(a)} over {short(b)}" if len(a + b) < 20 else short(a) for a, b in pairwise(ids)])
    name_axes(ax, "adds to the score over that of the next document", "")
    key(ax, above=3)
    return ax


def _stack(ax: Axes, parts: list[tuple[str, Any]]) -> None:
    """Bars that add to the right of 0, and those that take to its left, feature by feature."""
    n = len(parts[0][1])
    right, left = np.zeros(n), np.zeros(n)
    for number, (name, values) in enumerate(parts):
        colour = rule() if name == OTHERS else series_colour(number)
        start = np.where(values >= 0, right, left)
        ax.barh(np.arange(n), values, left=start, color=colour, height=0.7, label=name)
        right, left = right + np.maximum(values, 0), left + np.minimum(values, 0)
    ax.axvline(0.0, color=ink(), linewidth=0.8)


def _rows_of(data: RankingData, query: object) -> Any:
    qids = data.groups.qids.tolist()
    if query is None:
        query = qids[0]
    if query not in qids:
        some = ", ".join(map(str, qids[:3]))
        raise DataError(f"there is no query {query!r} in the data, its first are {some}; name one that it has")
    return np.flatnonzero(data.groups.query_of_row() == qids.index(query))
