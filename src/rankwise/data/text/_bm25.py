"""BM25 over the counts of words in documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from rankwise.types import FloatArray, IntArray

K1, B = 1.2, 0.75  # Lucene's


class BM25:
    """Robertson & Zaragoza 2009 (3.15), with the idf of Lucene: ln(1 + (N − n + ½)/(n + ½)).

    A document scores the sum over query words of idf · tf/(tf + k₁(1 − b + b·length/mean length)). As in Lucene, N and
    the mean length are of the documents that have a word in this field, and n of those that have this word.
    """

    def __init__(self, counts: sp.csr_array) -> None:
        self._postings = counts.tocsc()
        self.lengths: FloatArray = np.asarray(counts.sum(axis=1), dtype=np.float64)
        n_documents = np.count_nonzero(self.lengths)
        self.n_having: IntArray = np.diff(self._postings.indptr).astype(np.int64)  # documents that have each word
        self.idf: FloatArray = np.log1p((n_documents - self.n_having + 0.5) / (self.n_having + 0.5))
        mean_length = self.lengths.sum() / max(n_documents, 1) or 1.0
        self._saturation = K1 * (1 - B + B * self.lengths / mean_length)

    def scores(self, terms: Sequence[int]) -> FloatArray:
        """The score of every document; a term that stands in the query twice counts twice."""
        total = np.zeros(self.lengths.size)
        matrix = self._postings
        for term in terms:
            entries = slice(matrix.indptr[term], matrix.indptr[term + 1])
            documents, tf = matrix.indices[entries], matrix.data[entries]
            total[documents] += self.idf[term] * tf / (tf + self._saturation[documents])
        return total
