"""`TextIndex`: documents in words, from which come pools and features for any query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwise._validation import check_whole
from rankwise.data._ranking_data import RankingData
from rankwise.data.io._trec import UNJUDGED
from rankwise.data.text._bm25 import BM25
from rankwise.data.text._counts import word_counts
from rankwise.data.text._spelling import SpelledQuery
from rankwise.data.text._words import words
from rankwise.errors import DataError
from rankwise.types import AnyArray, FloatArray, IntArray

POOL_SIZE, MAX_POOL = 50, 2**31 - 1
FEATURES = (
    "bm25", "bm25_title", "bm25_text", "tfidf", "coverage", "coverage_title", "idf_mean", "idf_max",
    "length", "length_title", "phrase", "pairs", "first_match", "trigrams", "trigrams_title",
)  # fmt: skip


class TextIndex:
    """Documents in words: ranks them by BM25, and makes features of queries and documents to learn from.

    Everything is computed from these documents alone, so that the same documents and queries give the same features,
    bit for bit; to score new queries by a model, index the documents that it was trained on. Words are letters and
    digits in a row, of any script and case, without stemming; of scripts that have no blanks between words, each two
    characters in a row. docs/labelling.md lists the features.

    Parameters
    ----------
    documents : mapping of str to str or mapping
        What each document says, by its id: a text, or fields of which `title` and `text` are read. `read_documents`
        reads them from a file.

    Attributes
    ----------
    feature_names : list of str
        The names of the features, in their order.

    Raises
    ------
    DataError
        If a document is no text, or no document has a word.

    See Also
    --------
    rankwise.labels.LabelStore.create : A label store of the pool and the texts.

    References
    ----------
    Robertson & Zaragoza (2009). The probabilistic relevance framework: BM25 and beyond.

    Examples
    --------
    >>> index = TextIndex({"a": "The ferry leaves at noon.", "b": {"title": "Ferry times", "text": "At eight."}})
    >>> index.bm25("ferry times").round(3)
    array([0.079, 0.417])
    >>> data = index.pool({"q1": "ferry times", "q2": "at noon"})
    >>> data
    RankingData(4 rows, 2 queries, 15 features, labels -1 to -1)
    >>> data.doc_ids.tolist()
    ['b', 'a', 'a', 'b']
    """

    def __init__(self, documents: Mapping[str, object]) -> None:
        self.feature_names = list(FEATURES)
        self._ids = [_as_id(name) for name in documents]
        said = [_title_and_text(name, fields) for name, fields in documents.items()]
        self._titles, self._texts = [title for title, _ in said], [text for _, text in said]
        counts, self._terms = word_counts([*self._titles, *self._texts])
        if not self._terms:
            raise DataError(f"there must be words to find, got none in {len(self._ids)} documents; check their texts")
        n = len(self._ids)
        self._in_title, self._in_whole = counts[:n], counts[:n] + counts[n:]
        self._title, self._text, self._whole = BM25(counts[:n]), BM25(counts[n:]), BM25(self._in_whole)
        # As in scikit-learn's TfidfVectorizer.
        self._tfidf_weight = 1 + np.log((1 + n) / (1 + self._whole.n_having))
        self._tfidf_norm = np.sqrt(self._in_whole.power(2) @ self._tfidf_weight**2)
        self._row_of_id = {name: row for row, name in enumerate(self._ids)}
        self._place_of_id: IntArray = np.empty(n, np.int64)
        self._place_of_id[sorted(range(n), key=self._ids.__getitem__)] = np.arange(n)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def n_empty(self) -> int:
        """How many documents have no word, which no query can find."""
        return int((self._whole.lengths == 0).sum())

    def bm25(self, query: str) -> FloatArray:
        """The BM25 of every document, title and text together.

        Parameters
        ----------
        query : str
            What is looked for.

        Returns
        -------
        ndarray of shape (n_documents,)
            The scores, in the order of the documents; 0 where no word of the query is found.
        """
        return self._whole.scores(self._terms_of(_query_words(query)))

    def features(self, query: str, doc_ids: Iterable[str]) -> FloatArray:
        """The features of a query with some documents.

        Parameters
        ----------
        query : str
            What is looked for.
        doc_ids : iterable of str
            The documents, by their ids.

        Returns
        -------
        ndarray of shape (n_doc_ids, 15)
            A row per document, a column per feature of `feature_names`.

        Raises
        ------
        DataError
            If a document is not known.
        """
        try:
            rows = np.array([self._row_of_id[name] for name in doc_ids], dtype=np.int64)
        except KeyError as unknown:
            raise DataError(f"there is no document {str(unknown.args[0])[:40]!r}; pass ids of the index") from None
        return self._features(_query_words(query), rows)

    def pool(self, queries: Mapping[Any, object], size: int = POOL_SIZE) -> RankingData:
        """The best documents of each query by BM25, with their features: what to label, or to rank by a model.

        Parameters
        ----------
        queries : mapping of str or int to str or mapping
            What is looked for by the id of the query: a text, or fields of which `text` is read. `read_queries` reads
            them from a file.
        size : int, default=50
            How many documents of a query at most; of equal scores, the lower id comes first. Documents without any
            word of the query are left out.

        Returns
        -------
        RankingData
            A row per query and document, best first, none of them judged; notes tell of queries that found nothing.

        Raises
        ------
        DataError
            If there is no query, one has no word, or no document has a word of any.
        """
        check_whole("size", size, 1, MAX_POOL)
        if not queries:
            raise DataError("there must be a query, got none; pass at least one")
        rows, qids, features, missed = [], [], [], []
        for qid, query in queries.items():
            of_query = _query_words(_title_and_text(qid, query, "query")[1], qid)
            found = self._best(of_query, size)
            if found.size == 0:
                missed.append(str(qid))
                continue
            rows.append(found)
            qids += [qid] * found.size
            features.append(self._features(of_query, found))
        if not rows:
            raise DataError(
                f"no document has a word of any query, got {len(queries)} of these; check that both are of one language"
            )
        return RankingData(
            np.concatenate(features),
            np.full(len(qids), UNJUDGED),
            qids,
            [self._ids[row] for row in np.concatenate(rows)],
            notes=self._notes(missed),
            feature_names=self.feature_names,
        )

    def _notes(self, missed: Sequence[str]) -> tuple[str, ...]:
        notes = []
        if missed:
            listed = ", ".join(missed[:5]) + (", …" if len(missed) > 5 else "")
            notes.append(f"no document has a word of {_counted(len(missed), 'query', 'queries')}, left out: {listed}")
        if self.n_empty:
            notes.append(f"{_counted(self.n_empty, 'document', 'documents')} without a word: no query can find them")
        return tuple(notes)

    def _terms_of(self, of_query: Sequence[str]) -> list[int]:
        return [self._terms[word] for word in of_query if word in self._terms]

    def _best(self, of_query: Sequence[str], size: int) -> IntArray:
        """The rows of the best documents, best first, of equal ones by id."""
        scores = self._whole.scores(self._terms_of(of_query))
        found = np.flatnonzero(scores)
        if found.size > size:
            least = np.partition(scores[found], -size)[-size]
            found = found[scores[found] >= least]
        order = np.lexsort([self._place_of_id[found], -scores[found]])
        return found[order[:size]]

    def _features(self, of_query: Sequence[str], rows: IntArray) -> FloatArray:
        terms = self._terms_of(of_query)
        known, times = np.unique(np.array(terms, dtype=np.int64), return_counts=True)
        tf = self._in_whole[rows][:, known].toarray()
        idf = np.where(tf > 0, self._whole.idf[known], 0.0)
        weights = self._tfidf_weight[known]
        lengths = np.linalg.norm(times * weights) * self._tfidf_norm[rows]
        n_words, n_matched = len(set(of_query)), np.count_nonzero(tf, axis=1)
        spelled = SpelledQuery(of_query)
        return np.column_stack(
            [
                *(field.scores(terms)[rows] for field in (self._whole, self._title, self._text)),
                _ratio(tf @ (times * weights**2), lengths),
                n_matched / n_words,
                np.count_nonzero(self._in_title[rows][:, known].toarray(), axis=1) / n_words,
                _ratio(idf.sum(axis=1), n_matched),
                idf.max(axis=1, initial=0.0),
                np.log1p(self._text.lengths[rows]),
                np.log1p(self._title.lengths[rows]),
                np.array([spelled.features(self._titles[row], self._texts[row]) for row in rows]).reshape(-1, 5),
            ]
        )


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _ratio(numerator: FloatArray, denominator: AnyArray) -> FloatArray:
    """The quotient, 0 where there is nothing to divide by."""
    return np.divide(numerator, denominator, out=np.zeros(numerator.size), where=denominator > 0)


def _as_id(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise DataError(f"the id of a document must be text, got {name!r}; name it")
    return name


def _title_and_text(name: object, said: object, kind: str = "document") -> tuple[str, str]:
    fields = {"text": said} if isinstance(said, str) else said
    if not isinstance(fields, Mapping):
        raise DataError(f"{kind} {str(name)[:40]!r} must be a text or have fields, got {type(said).__name__}")
    title, text = fields.get("title"), fields.get("text")
    if not isinstance(text, str) or not (title is None or isinstance(title, str)):
        raise DataError(f"{kind} {str(name)[:40]!r} must have a text, and no title but a text; correct it")
    return title or "", text


def _query_words(query: str, qid: object = None) -> list[str]:
    found = words(query)
    if not found:
        which = "" if qid is None else f" {str(qid)[:40]!r}"
        raise DataError(f"query{which} must have a word, got {query[:40]!r}; say what is looked for")
    return found
