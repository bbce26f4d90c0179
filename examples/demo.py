"""`make demo`: search handwritten digits, judge two ways of scoring, and look at the result.

Real data that ships with scikit-learn: each query is an image, and the other images are to be ranked so that those of
the same digit come first. LambdaMART learns from pixel-wise differences, once on AUC and once on NDCG@10; the
baseline is the cosine similarity of the pixels. Both metrics judge all three.

Then the same data as if nobody had labelled it: how fast does a ranker learn if a sampler chooses what to label?
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.datasets import load_digits

import rankwise as rw
from rankwise.reports import write_report
from rankwise.reports._learning_curves import write_learning_curves

QUERIES, DOCUMENTS = 200, 150
LABELLED_QUERIES = 40
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


def label_digits(train: rw.RankingData, test: rw.RankingData) -> rw.Simulation:
    """Labels chosen by Lookahead and at random: one relevant image and ten others a query first, then five a round."""
    few = train.rows(np.arange(LABELLED_QUERIES * DOCUMENTS))
    return rw.simulate(few, test, ["lookahead", "random"], rounds=10, seeds=3, metrics=["map", "ndcg@10"], n_jobs=1)


def main() -> None:
    """Train on two metrics, judge by both, and write the page; then simulate labelling, and draw its curves."""
    console = Console()
    with console.status("training on 200 queries, stopping on 200 others, judging on 200 more"):
        (train, _), (valid, _), (test, cosine) = (search_digits(part) for part in range(3))
        scores = {"cosine of pixels": cosine}
        for metric in ("auc", "ndcg@10"):
            model = rw.LambdaMART(metric, n_estimators=200, early_stopping_rounds=30, random_state=0)
            model.fit(train.X, train.y, qid=train.qid, eval_set=(valid.X, valid.y, valid.qid))
            scores[f"LambdaMART on {metric}"] = model.predict(test.X)
        comparison = rw.compare(test.y, scores, test.qid, ["auc", "ndcg@10", "map", "mrr", "r@p=0.9"])
    console.print(f"Searching handwritten digits: {QUERIES} queries × {DOCUMENTS} images, of which 10% are right\n")
    print(comparison)
    OUT.mkdir(exist_ok=True)
    page = write_report(OUT / "demo.html", comparison, test.y, scores, test.qid, title="Searching handwritten digits")
    with console.status("simulating labelling: 10 rounds, 3 times, by two samplers"):
        labelling = label_digits(train, test)
    console.print(f"\nLabelling {LABELLED_QUERIES} of these queries, five images per query and round\n")
    print(labelling)
    picture = write_learning_curves(OUT / "labelling.png", labelling)
    print(f"\nLook at them: {page.resolve()} and {picture.resolve()}")


if __name__ == "__main__":
    main()
