"""Words of any script: what is one, and what is the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from rankwise.data.text._counts import word_counts
from rankwise.data.text._words import words

TEXTS = {
    "punctuation": ("Ferry, ferry; (FERRY)!", ["ferry"] * 3),
    "digits and underscores": ("fit_transform(X2) 2.5", ["fit_transform", "x2", "2", "5"]),
    "case of German": ("Straße STRASSE", ["strasse", "strasse"]),
    "case of Greek": ("ΣΟΦΟΣ σοφος", ["σοφοσ", "σοφοσ"]),
    "accents in one or two characters": ("caf\u00e9 cafe\u0301", ["caf\u00e9", "caf\u00e9"]),
    "wide letters": ("ＡＢＣ", ["abc"]),
    "vowel signs of Hindi": ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    "Arabic with marks": ("مَدْرَسَة كبيرة", ["مَدْرَسَة", "كبيرة"]),
    "Chinese": ("我爱北京。", ["我爱", "爱北", "北京"]),
    "Japanese beside Latin": ("東京tower2024年", ["東京", "tower2024", "年"]),
    "Korean": ("한국어를", ["한국", "국어", "어를"]),
    "Thai": ("ภาษา", ["ภา", "าษ", "ษา"]),
    "beyond the basic plane": ("𠀀𠀁𠀂", ["𠀀𠀁", "𠀁𠀂"]),
    "nothing": (" …\n—🙂", []),
    "half a character": ("a\ud800b", ["a", "b"]),
}


@pytest.mark.parametrize("name", TEXTS)
def test_words(name: str) -> None:
    text, expected = TEXTS[name]
    assert words(text) == expected


@given(st.text())
def test_words_are_words_of_themselves(text: str) -> None:
    for word in words(text):
        assert " " not in word
        assert word
        assert "".join(words(word)) == word


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_as_any_text(text) -> None:
    assert words(text) == words(text + " ü")[:-1]


@given(st.lists(st.text("ab _.é", max_size=12), min_size=1, max_size=8))
def test_counts_as_scikit_learn_has_them(texts) -> None:
    counts, column = word_counts(texts)
    if not column:
        assert counts.shape == (len(texts), 0)
        return
    vectorizer = CountVectorizer(analyzer=words, dtype=np.float64)
    expected = vectorizer.fit_transform(texts)
    expected.sort_indices()
    assert column == vectorizer.vocabulary_
    assert list(column) == sorted(column)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(counts, name), getattr(expected, name))
