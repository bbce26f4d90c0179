"""How often each position of a list is looked at, learned from clicks beside the scores of a model.

A document d that is shown at position k is clicked with probability θ_k·γ_d: it is looked at with propensity θ_k, and
then it is relevant with probability γ_d (the position-based model). Of the N_d clicks on a document, the share that
falls on position k is M_dk·θ_k / Σ_l M_dl·θ_l, whatever γ_d is, where M_dk counts how often it was shown there. So
documents that were shown at several positions tell θ without any model of relevance.

Documents that were not are compared with those of like scores: in a bin b of scores, γ_d is taken for drawn from a
gamma distribution of mean γ_b and shape `SHAPE`. With γ_d integrated out, the logarithm of the likelihood is

    Σ_k N_k·η_k + Σ_d { a·ρ_b − (N_d + a)·log(e^ρ_b + Σ_k M_dk·e^η_k) },   η = log θ, ρ_b = log(a / γ_b), a = SHAPE,

as if every document had been clicked `a` times more at a position of its bin. It is concave in η and ρ, so that
Newton's method finds the one answer from any start, and what is found depends on the scores alone.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from rankwise.types import AnyArray, BoolArray, FloatArray, IntArray

SHAPE = 0.03  # so small that documents which moved outweigh scores: a model that has memorized clicks has γ wrong
SCORE_BINS = 16
RIDGE = 0.1  # pulls η towards no bias where there are next to no clicks
MIN_PROPENSITY = 0.02  # a click weighs up to 1 / MIN_PROPENSITY
PRIOR_CLICKS = 10.0  # that a document's scores count for, beside its clicks, when its γ is estimated
MAX_POSITIONS = 1_000  # Newton's method solves a system of this size in every round


class PositionBias:
    """Clicks on documents at positions, counted once; `weights(scores)` is then computed every round.

    Parameters
    ----------
    position : ndarray of int, shape (n_rows,)
        Where each row's document was shown.
    clicked : ndarray of bool, shape (n_rows,)
        Whether it was clicked there.
    document : ndarray of shape (n_rows,)
        A key of each row's document: rows of one key are the same document.
    copies : ndarray of float, shape (n_rows,), default=None
        How often each row counts; None is once.

    Attributes
    ----------
    positions : ndarray of int
        The distinct positions, rising; the propensity of the first is 1.

    Notes
    -----
    The position-based model: a document d at position k is clicked with probability θ_k·γ_d. θ is where the likelihood
    of the clicks is largest, documents of like scores being taken for alike (the module's text has the formula).

    Examples
    --------
    >>> bias = PositionBias(np.array([1, 2, 1, 2]), np.array([True, False, True, True]), np.array([7, 7, 8, 8]))
    >>> bias.propensities(np.zeros(4)).round(2)
    array([1.  , 0.55])
    """

    def __init__(
        self, position: IntArray, clicked: BoolArray, document: AnyArray, copies: FloatArray | None = None
    ) -> None:
        self.positions, self.place = np.unique(position, return_inverse=True)
        keys, self.document = np.unique(document, return_inverse=True)
        self.clicked = clicked
        count = np.ones(position.size) if copies is None else copies
        shape = (keys.size, self.positions.size)
        self.shown = sp.csr_array((count, (self.document, self.place)), shape=shape)
        self.shown.sum_duplicates()
        self.clicks = np.bincount(self.document, count * clicked, keys.size)
        self.clicks_at = np.bincount(self.place, count * clicked, self.positions.size)
        self.by_document = np.argsort(self.document, kind="stable")
        self.first = np.searchsorted(self.document[self.by_document], np.arange(keys.size))

    @property
    def moved(self) -> float:
        """The share of clicks on documents that were shown at more than one position."""
        several = np.diff(self.shown.indptr) > 1
        return float(self.clicks[several].sum() / max(self.clicks.sum(), 1.0))

    def propensities(self, scores: FloatArray) -> FloatArray:
        """Estimate how likely a document is looked at, by position.

        Parameters
        ----------
        scores : ndarray of shape (n_rows,)
            Scores of the rows.

        Returns
        -------
        ndarray of shape (n_positions,)
            Propensities θ, one for each of `positions`.
        """
        return self._estimate(scores)[0]

    def weights(self, scores: FloatArray) -> FloatArray:
        """Weigh rows so that a pair of a clicked and an unclicked row counts as γ_i − γ_j on average.

        Parameters
        ----------
        scores : ndarray of shape (n_rows,)
            Scores of the rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            A click at k stands for 1/θ_k clicks, had all been looked at; no click stands for the probability that the
            document is not relevant, rather than not seen: (1 − γ) / (1 − θ·γ).
        """
        propensity, relevance = self._estimate(scores)
        looked_at, relevant = propensity[self.place], np.minimum(relevance, 1.0)[self.document]
        unclicked = (1.0 - relevant) / np.maximum(1.0 - looked_at * relevant, 0.01)
        return np.where(self.clicked, 1.0 / np.maximum(looked_at, MIN_PROPENSITY), np.clip(unclicked, 0.0, 1.0))

    def _estimate(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """θ of the positions and γ of the documents."""
        # Rows of a document have one score, unless training started from scores of its own.
        highest = np.maximum.reduceat(scores[self.by_document], self.first)
        edges = np.quantile(highest, np.arange(1, SCORE_BINS) / SCORE_BINS)
        filled, document_bin = np.unique(np.searchsorted(edges, highest, side="right"), return_inverse=True)
        eta, rho = np.split(self._most_likely(document_bin, filled.size), [self.positions.size])
        propensity, mean = np.exp(eta), SHAPE * np.exp(-rho)
        shown = self.shown @ propensity
        return propensity, (PRIOR_CLICKS + self.clicks) / (PRIOR_CLICKS / mean[document_bin] + shown)

    def _start(self, document_bin: IntArray, bins: int) -> FloatArray:
        """η by the clicks at each position, as if all documents were alike, and ρ that goes with it."""
        rate = (self.clicks_at + 0.5) / (self.shown.sum(axis=0) + 0.5)
        looked_at = np.bincount(document_bin, self.shown @ (rate / rate[0]), bins)
        clicks = np.bincount(document_bin, self.clicks, bins)
        return np.concatenate([np.log(rate / rate[0]), np.log(SHAPE * (looked_at + 0.5) / (clicks + 0.5))])

    def _most_likely(self, document_bin: IntArray, bins: int) -> FloatArray:
        """η and ρ by Newton's method; η of the first position stays 0."""
        documents, count = self.shown.shape
        in_bin = sp.csr_array((np.ones(documents), (np.arange(documents), document_bin)), shape=(documents, bins))
        places = sp.csr_array(sp.hstack([self.shown, in_bin]))
        clicks = self.clicks + SHAPE
        clicks_at = np.concatenate([self.clicks_at, SHAPE * np.bincount(document_bin, minlength=bins)])
        ridge = np.concatenate([np.full(count, RIDGE), np.zeros(bins)])

        def likelihood(x: FloatArray) -> float:
            return float(clicks_at @ x - clicks @ np.log(places @ np.exp(x)) - 0.5 * ridge @ (x * x))

        x = self._start(document_bin, bins)
        reached = likelihood(x)
        for _ in range(50):
            odds = np.exp(x)
            total = places @ odds
            expected = (places.T @ (clicks / total)) * odds
            slope = (clicks_at - expected - ridge * x)[1:]
            root = sp.diags_array(np.sqrt(clicks) / total) @ places
            bend = np.diag(expected + ridge) - (root.T @ root).toarray() * np.outer(odds, odds)
            step = np.concatenate([[0.0], np.linalg.solve(bend[1:, 1:], slope)])
            gain = float(slope @ step[1:])
            # Half of `gain` is what a full step should bring; halve it until it brings a share of that.
            size = 1.0
            while (value := likelihood(x + size * step)) < reached + 1e-4 * size * gain and size > 1e-6:
                size /= 2.0
            if gain < 1e-9 or size <= 1e-6:
                break
            x, reached = x + size * step, value
        return x
