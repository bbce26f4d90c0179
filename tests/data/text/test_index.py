"""BM25 and the features of text, against slow second implementations and scikit-learn."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from rankwise.data import TextIndex, read, write
from rankwise.data.text._words import words
from rankwise.errors import DataError
from tests.reference.bm25_by_definition import bm25, ranking

DOCUMENTS: dict[str, Any] = {
    "b": {"title": "Ferry times", "text": "The ferry leaves the harbour at eight; at noon there is another ferry."},
    "a": {"title": "Ferry times", "text": "The ferry leaves the harbour at eight; at noon there is another ferry."},
    "c": {"text": "Times of the night bus."},
    "d": {"title": "Museum", "text": ""},
    "e": {"title": "", "text": ""},
    "f": "A ferryman keeps the times of old.",
}
INDEX = TextIndex(DOCUMENTS)


def feature(name: str, query: str, *doc_ids: str) -> list[float]:
    return INDEX.features(query, doc_ids)[:, INDEX.feature_names.index(name)].tolist()


word = st.sampled_from("ferry times harbour night bus museum old".split())
texts = st.lists(word, max_size=8).map(" ".join)
collections = st.dictionaries(st.text("xyz", min_size=1, max_size=3), texts, min_size=1, max_size=12)


@given(collections, st.lists(word, min_size=1, max_size=5), st.integers(1, 5))
@settings(deadline=None)
def test_bm25_and_its_ranking_are_those_of_the_definition(
    documents: dict[str, str], query: list[str], size: int
) -> None:
    spelled = {name: text.split() for name, text in documents.items()}
    if not any(spelled.values()):
        with pytest.raises(DataError, match="there must be words to find"):
            TextIndex(documents)
        return
    index = TextIndex(documents)
    expected = [bm25(query, text, list(spelled.values())) for text in spelled.values()]
    np.testing.assert_allclose(index.bm25(" ".join(query)), expected, rtol=1e-12)
    best = ranking(query, spelled, size)  # type: ignore[arg-type]
    if not best:
        with pytest.raises(DataError, match="no document has a word of any query"):
            index.pool({"q": " ".join(query)}, size)
        return
    assert index.pool({"q": " ".join(query)}, size).doc_ids.tolist() == best  # type: ignore[union-attr]


def test_each_field_has_a_bm25_of_its_own() -> None:
    titles = [words("Ferry times"), words("Ferry times"), [], ["museum"], [], []]
    assert feature("bm25_title", "ferry", *DOCUMENTS) == pytest.approx([bm25(["ferry"], t, titles) for t in titles])
    bodies = [words(d if isinstance(d, str) else d["text"]) for d in DOCUMENTS.values()]
    assert feature("bm25_text", "ferry", *DOCUMENTS) == pytest.approx([bm25(["ferry"], t, bodies) for t in bodies])
    assert feature("bm25", "ferry", *DOCUMENTS) == INDEX.bm25("ferry").tolist()


@pytest.mark.parametrize("query", ["ferry times", "the the harbour", "unknown bus", "unknown"])
def test_tfidf_is_that_of_scikit_learn(query: str) -> None:
    together = [d if isinstance(d, str) else f"{d.get('title', '')} {d['text']}" for d in DOCUMENTS.values()]
    vectorizer = TfidfVectorizer(analyzer=words)
    expected = cosine_similarity(vectorizer.fit_transform(together), vectorizer.transform([query]))[:, 0]
    np.testing.assert_allclose(feature("tfidf", query, *DOCUMENTS), expected, rtol=1e-12, atol=1e-15)


def test_features_by_hand() -> None:
    assert feature("coverage", "ferry times tomorrow", "a", "c", "e") == pytest.approx([2 / 3, 1 / 3, 0])
    assert feature("coverage_title", "ferry museum", "a", "d", "c") == [0.5, 0.5, 0.0]
    n, ferry, times = 5, math.log(1 + 3.5 / 2.5), math.log(1 + 1.5 / 4.5)  # 5 documents have a word
    assert n == sum(map(bool, INDEX._whole.lengths))
    assert feature("idf_mean", "ferry times", "a", "c", "d") == pytest.approx([(ferry + times) / 2, times, 0])
    assert feature("idf_max", "ferry times", "a", "c", "d") == pytest.approx([ferry, times, 0])
    assert feature("length", "ferry", "c", "d") == pytest.approx([math.log(6), 0])
    assert feature("length_title", "ferry", "a", "c") == pytest.approx([math.log(3), 0])
    assert feature("phrase", "the harbour at eight", "a", "c") == [1, 0]
    assert feature("phrase", "ferry times", "a") == [1]  # of the title
    assert feature("phrase", "err", "a") == [0]  # no whole word
    assert feature("pairs", "night bus times", "c", "a") == [0.5, 0]
    assert feature("first_match", "harbour leaves", "a", "c") == pytest.approx([1 / 3, 0])
    assert feature("trigrams", "ferries", "f", "d") == pytest.approx([4 / 7, 0])  # " fe", "fer", "err"; "es " of times
    assert feature("trigrams_title", "ferry", "b", "f") == [1, 0]


def test_a_pool_is_ranking_data_that_files_give_back(tmp_path: Path) -> None:
    data = INDEX.pool({7: "ferry times", 1: {"text": "night bus"}, 3: "zebra"}, size=3)
    assert data.qid.tolist() == [7, 7, 7, 1]
    assert data.doc_ids.tolist() == ["a", "b", "c", "c"]  # type: ignore[union-attr]
    assert (data.y == -1).all()
    assert data.feature_names == INDEX.feature_names
    assert data.notes == (
        "no document has a word of 1 query, left out: 3",
        "1 document without a word: no query can find them",
    )
    for ending in ("txt", "parquet", "csv"):
        write(data, tmp_path / f"pool.{ending}")
        again = read(tmp_path / f"pool.{ending}")
        np.testing.assert_array_equal(again.X, data.X)
        assert again.doc_ids.tolist() == data.doc_ids.tolist()  # type: ignore[union-attr]


def test_the_same_documents_give_the_same_features_in_any_order() -> None:
    turned = TextIndex(dict(reversed(DOCUMENTS.items())))
    queries = {"1": "ferry times of the museum", "2": "at noon"}
    first, second = INDEX.pool(queries), turned.pool(queries)
    assert first.doc_ids.tolist() == second.doc_ids.tolist()  # type: ignore[union-attr]
    np.testing.assert_array_equal(first.X, second.X)


def test_a_query_may_have_any_words() -> None:
    assert np.isfinite(INDEX.features("zebra", DOCUMENTS)).all()
    assert INDEX.features("ferry", []).shape == (0, len(INDEX.feature_names))
    assert TextIndex({"x": "我爱北京天安门"}).bm25("北京")[0] > 0


BAD = {
    "no documents": (lambda: TextIndex({}), "there must be words to find, got none in 0 documents"),
    "no words": (lambda: TextIndex({"a": "…"}), "there must be words to find, got none in 1 documents"),
    "a document that is a number": (lambda: TextIndex({"a": 3}), "document 'a' must be a text or have fields, got int"),
    "a document without a text": (lambda: TextIndex({"a": {"title": "A"}}), "document 'a' must have a text"),
    "an id that is no text": (lambda: TextIndex({3: "a"}), "the id of a document must be text, got 3"),  # type: ignore[dict-item]
    "no queries": (lambda: INDEX.pool({}), "there must be a query, got none"),
    "an empty query": (lambda: INDEX.pool({"q": " ?"}), "query 'q' must have a word, got ' [?]'"),
    "an empty pool": (lambda: INDEX.pool({"q": "ferry"}, 0), "size must be a whole number from 1"),
    "nothing found": (
        lambda: INDEX.pool({"q": "zebra", "r": "yak"}),
        "no document has a word of any query, got 2 of these",
    ),
    "an unknown document": (lambda: INDEX.features("ferry", ["z"]), "there is no document 'z'"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_answered_is_said(name: str) -> None:
    attempt, sentence = BAD[name]
    with pytest.raises(DataError, match=sentence):
        attempt()


def test_the_docs_list_the_features() -> None:
    page = (Path(__file__).parents[3] / "docs" / "labelling.md").read_text(encoding="utf-8")
    table = page.partition("### The features")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.M) == INDEX.feature_names
