"""Clicks that users would make on lists of judged documents: to try out training on clicks where the truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from rankwise._validation import as_numbers
from rankwise.data._ranking_data import RankingData
from rankwise.data.io._formats import numbered_columns
from rankwise.errors import DataError, ShapeError
from rankwise.types import FloatArray, IntArray

MISTAKE = 0.1  # probability of a click on a document of grade 0 that is looked at


@dataclass(frozen=True, eq=False)
class ClickLog:
    """Lists as they were shown, one row per document.

    `data` are all rows as a ranker takes them: labels are clicks, queries are sessions, and the position is the last
    feature, by the name "position".

    Parameters
    ----------
    rows : array of int
        Row of the data that was shown.
    session : array of int
        The list that it was shown in.
    position : array of int
        Its place in the list, from 1.
    clicked : array of float
        Whether it was clicked.
    propensities : array of float
        The truth: how likely each position is looked at.
    judged : RankingData
        The data that the lists were made from.
    """

    rows: IntArray
    session: IntArray
    position: IntArray
    clicked: FloatArray
    propensities: FloatArray
    judged: RankingData

    @property
    def data(self) -> RankingData:
        """The log as one table."""
        shown = self.judged.rows(self.rows)
        column = self.position[:, None].astype(np.float32)
        X: Any = sp.hstack([shown.X, sp.csr_array(column)]) if shown.is_sparse else np.hstack([shown.X, column])
        names = [*(shown.feature_names or numbered_columns(shown.n_features)), "position"]
        return RankingData(X, self.clicked, self.session, feature_names=names, categories=shown.categories)


def simulate_clicks(
    data: RankingData,
    scores: ArrayLike,
    *,
    sessions: int = 10,
    top: int = 10,
    steepness: float = 1.0,
    shuffle: float = 0.3,
    seed: int = 0,
) -> ClickLog:
    """So many lists per query, the `top` documents each, clicked by the position-based model.

    Documents are shown by falling scores. Position k is looked at with probability k^−steepness, and a document of
    grade y that is looked at is clicked with probability ε + (1 − ε)(2^y − 1)/(2^highest − 1), ε = 0.1.

    Parameters
    ----------
    data : RankingData
        Documents with their true grades.
    scores : array-like
        Score of each row, by which lists are shown.
    sessions : int, default=10
        Lists per query.
    top : int, default=10
        Documents per list.
    steepness : float, default=1.0
        How fast attention falls with the position.
    shuffle : float, default=0.3
        How far chance moves documents, in standard deviations of the scores; 0 always shows the same list.
    seed : int, default=0
        Seed of the generator.

    Returns
    -------
    ClickLog
        What was shown and clicked.

    Examples
    --------
    >>> from rankwise.data import cubic
    >>> data = cubic(queries=3, documents=20)
    >>> log = simulate_clicks(data, data.X[:, 0], sessions=100, top=5)
    >>> log.rows.size, log.propensities.round(2)
    (1500, array([1.  , 0.5 , 0.33, 0.25, 0.2 ]))
    """
    shown_by = as_numbers("scores", scores)
    if shown_by.shape != data.y.shape:
        raise ShapeError(f"scores must have one entry per row: got {shown_by.size} for {data.y.size}")
    if not np.isfinite(shown_by).all():
        odd = shown_by[~np.isfinite(shown_by)][0]
        raise DataError(f"scores must be finite numbers, got {odd}; score every document, or leave it out of the data")
    for name, value, least in (
        ("sessions", sessions, 1), ("top", top, 1), ("steepness", steepness, 0), ("shuffle", shuffle, 0)
    ):  # fmt: skip
        if not value >= least:
            raise DataError(f"{name} must be {least} or more, got {value}")
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(data.y.size), sessions)
    session = np.repeat(data.groups.query_of_row() * sessions, sessions) + np.tile(np.arange(sessions), data.y.size)
    spread = shuffle * float(shown_by.std())
    noisy = shown_by[rows] + spread * rng.gumbel(size=rows.size)
    order = np.lexsort((-noisy, session))
    rows, session = rows[order], session[order]
    lengths = np.bincount(session)
    place = np.arange(rows.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    kept = place < top
    rows, session, place = rows[kept], session[kept], place[kept]
    propensities = (1.0 + np.arange(place.max() + 1)) ** -steepness
    grades = np.maximum(data.y, 0.0)
    highest = max(float(np.floor(grades.max())), 1.0)  # gains are 2^y − 1, over 2^highest so that none overflows
    gain = np.exp2(grades - highest) - np.exp2(-highest)
    relevance = MISTAKE + (1.0 - MISTAKE) * gain / max(float(gain.max()), np.exp2(-highest))
    clicked = rng.random(rows.size) < propensities[place] * relevance[rows]
    return ClickLog(rows, session, place + 1, clicked.astype(np.float64), propensities, data)
