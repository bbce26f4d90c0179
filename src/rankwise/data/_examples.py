"""`load_example`: real data that is there after `pip install`, without a download."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError

Parts: TypeAlias = tuple[RankingData, RankingData]
Example: TypeAlias = Literal["digits", "breast_cancer"]
QUERIES, DOCUMENTS = 150, 100


def load_example(name: Example) -> Parts:
    """Load real data to try things on: training rows and test rows, the same each time.

    The measurements come with scikit-learn, so that no network is needed.

    - ``"digits"`` is a search: each query is the image of a handwritten digit, and 100 other images are to be ranked
      so that those of the same digit come first. Features are the differences of the 64 pixels; labels are 1 for the
      same digit, else 0. 150 queries in each part, and no image is in both.
    - ``"breast_cancer"`` is one list: 569 tumours with 30 measurements of their cells, and label 1 for the malignant
      ones, which are to come first. Every other row is a test row.

    Parameters
    ----------
    name : {"digits", "breast_cancer"}
        Which data.

    Returns
    -------
    train : RankingData
        Rows to train on.
    test : RankingData
        Rows to evaluate on.

    Raises
    ------
    DataError
        If there is no such example.

    Examples
    --------
    >>> train, test = load_example("digits")
    >>> train
    RankingData(15000 rows, 150 queries, 64 features, labels 0 to 1)
    >>> load_example("breast_cancer")[1]
    RankingData(284 rows, 1 query, 30 features, labels 0 to 1)
    """
    if name not in EXAMPLES:
        raise DataError(f"there is no example {name!r}; choose one of {', '.join(EXAMPLES)}")
    return EXAMPLES[name]()


def _digits() -> Parts:
    from sklearn.datasets import load_digits  # half a second, which `import rankwise` need not take

    digits = load_digits()
    halves = np.array_split(np.arange(digits.target.size), 2)
    train, test = (_search(digits, pool, seed) for seed, pool in enumerate(halves))
    return train, test


def _search(digits: Any, pool: Any, seed: int) -> RankingData:
    """Queries and their documents, drawn from a pool of images."""
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(pool, DOCUMENTS + 1, replace=False) for _ in range(QUERIES)]
    queries, documents = np.repeat([rows[0] for rows in drawn], DOCUMENTS), np.concatenate([rows[1:] for rows in drawn])
    return RankingData(
        np.abs(digits.data[documents] - digits.data[queries]),
        digits.target[documents] == digits.target[queries],
        np.repeat(np.arange(QUERIES), DOCUMENTS),
        doc_ids=documents.astype(str),
        feature_names=list(digits.feature_names),
        source="the example digits",
    )


def _breast_cancer() -> Parts:
    from sklearn.datasets import load_breast_cancer

    cancer = load_breast_cancer()
    malignant = cancer.target == list(cancer.target_names).index("malignant")
    names = [str(name) for name in cancer.feature_names]
    rows = RankingData(cancer.data, malignant, None, feature_names=names, source="the example breast_cancer")
    return rows.rows(np.arange(0, malignant.size, 2)), rows.rows(np.arange(1, malignant.size, 2))


EXAMPLES: dict[str, Callable[[], Parts]] = {"digits": _digits, "breast_cancer": _breast_cancer}
