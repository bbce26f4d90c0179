"""`make demo`: search handwritten digits, judge two ways of scoring, and look at the result.

Real data that ships with scikit-learn: each query is an image, and the other images are to be ranked so that those of
the same digit come first. The baseline scores by cosine similarity of the pixels; the model is a logistic
regression on pixel-wise differences, trained on other queries.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import rankwise as rw
from rankwise.reports import write_report

QUERIES, DOCUMENTS = 200, 150
OUT = Path("out")


def search_digits(part: int) -> tuple[rw.RankingData, NDArray[np.float64]]:
    """One part of the queries with their documents: pixel-wise differences, and cosine similarities, the baseline."""
    digits = load_digits()
    rng = np.random.default_rng(part)
    queries = np.random.default_rng(0).permutation(len(digits.data))[part * QUERIES : (part + 1) * QUERIES]
    features, labels, qids, cosine = [], [], [], []
    for query in queries:
        image = digits.data[query]
        others = rng.choice(np.setdiff1d(np.arange(len(digits.data)), [query]), DOCUMENTS, replace=False)
        images = digits.data[others]
        features.append(np.abs(images - image))
        labels.append(digits.target[others] == digits.target[query])
        qids.append(np.full(DOCUMENTS, query))
        cosine.append(images @ image / np.linalg.norm(images, axis=1) / np.linalg.norm(image))
    data = rw.RankingData(np.concatenate(features), np.concatenate(labels), np.concatenate(qids))
    return data, np.concatenate(cosine)


def main() -> None:
    """Train, judge, compare, and write the page."""
    console = Console()
    with console.status("training on 200 queries, judging on 200 others"):
        train, _ = search_digits(part=0)
        test, cosine = search_digits(part=1)
        model = LogisticRegression(max_iter=300).fit(train.X, train.y)
        scores = {"cosine of pixels": cosine, "logistic regression": model.decision_function(test.X)}
        comparison = rw.compare(test.y, scores, test.qid, ["ndcg@10", "map", "mrr", "auc", "r@p=0.9"])
    console.print(f"Searching handwritten digits: {QUERIES} queries × {DOCUMENTS} images, of which 10% are right\n")
    print(comparison)
    OUT.mkdir(exist_ok=True)
    page = write_report(OUT / "demo.html", comparison, test.y, scores, test.qid, title="Searching handwritten digits")
    print(f"\nLook at it: {page.resolve()}")


if __name__ == "__main__":
    main()
