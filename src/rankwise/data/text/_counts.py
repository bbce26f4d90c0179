"""How often each word stands in each text."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp

from rankwise.data.text._words import words


def word_counts(texts: Iterable[str]) -> tuple[sp.csr_array, dict[str, int]]:
    """A row per text and a column per word, and the column of each word, in their order.

    The same as scikit-learn's CountVectorizer, without a step of Python per word.

    >>> counts, column = word_counts(["rain, rain", "a rain"])
    >>> counts.toarray(), column
    (array([[0., 2.],
           [1., 1.]]), {'a': 0, 'rain': 1})
    """
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new word gets the next number
    entries, ends = array("i"), array("q", [0])
    for text in texts:
        entries.extend(map(numbers.__getitem__, words(text)))
        ends.append(len(entries))
    in_order = sorted(numbers)
    column = np.empty(len(in_order), dtype=np.int32)
    column[[numbers[word] for word in in_order]] = np.arange(len(in_order))
    columns = column[np.frombuffer(entries, dtype=np.int32)]
    shape = (len(ends) - 1, len(in_order))
    counts = sp.csr_array((np.ones(len(columns)), columns, np.frombuffer(ends, dtype=np.int64)), shape=shape)
    counts.sum_duplicates()
    return counts, {word: place for place, word in enumerate(in_order)}
