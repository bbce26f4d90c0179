"""`cross_validate`: how good an estimator is on queries that it was not trained on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.data._ranking_data import RankingData
from rankwise.metrics import Evaluation, Metric
from rankwise.metrics._evaluate import DEFAULT_METRICS
from rankwise.metrics._evaluation import finite_or_none, format_table
from rankwise.metrics._names import parse_all
from rankwise.selection._fold_fits import fit_fold
from rankwise.selection._folds import make_folds
from rankwise.selection._rows import Callback, as_rows, check_ranker
from rankwise.types import FloatArray, IntArray, JsonObject


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """What `cross_validate` returns; `result["ndcg@10"]` is the mean over all queries, each held out once.

    Parameters
    ----------
    evaluation : Evaluation
        The value of every query by the model that was not trained on it; of one list, the value of every fold.
    per_fold : dict of str to list of float
        By metric, the mean of each fold.
    scores : ndarray of shape (n_rows,)
        The score of each row by the model that was not trained on it.
    fold_of_row : ndarray of shape (n_rows,)
        The fold, from 0, that each row was held out in.
    fit_seconds : list of float
        CPU seconds of training on each fold.
    chosen : list of dict
        What an inner part of the training queries chose in each fold, such as the number of rounds.
    """

    evaluation: Evaluation
    per_fold: dict[str, list[float]]
    scores: FloatArray
    fold_of_row: IntArray
    fit_seconds: list[float]
    chosen: list[JsonObject]

    def __getitem__(self, metric: object) -> float:
        return self.evaluation[metric]

    def to_dict(self) -> JsonObject:
        """Return all but the scores in plain Python types that `json.dumps` takes.

        Returns
        -------
        dict
            The evaluation, the mean of every fold, seconds, and what was chosen.
        """
        return {
            "folds": len(self.fit_seconds),
            "per_fold": {name: [finite_or_none(value) for value in values] for name, values in self.per_fold.items()},
            "fit_seconds": self.fit_seconds,
            "chosen": self.chosen,
            **self.evaluation.to_dict(),
        }

    def fold_table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows of a table of the folds.

        Returns
        -------
        tuple
            The header, and a row of texts for each fold.
        """
        names = list(dict.fromkeys(name for chosen in self.chosen for name in chosen))
        rows = [
            (
                str(fold + 1),
                *(f"{values[fold]:.4f}" for values in self.per_fold.values()),
                f"{seconds:.2f}",
                *(f"{chosen[name]:g}" if name in chosen else "–" for name in names),
            )
            for fold, (seconds, chosen) in enumerate(zip(self.fit_seconds, self.chosen, strict=True))
        ]
        return ("fold", *self.per_fold, "fit seconds", *names), rows

    def __str__(self) -> str:
        header, rows = self.fold_table()
        return f"{self.evaluation}\n\n{format_table([header, *rows])}"

    __repr__ = __str__


def cross_validate(
    estimator: Any,
    data: RankingData,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT_METRICS,
    *,
    folds: int = 5,
    random_state: int = 0,
    callbacks: Iterable[Callback] = (),
) -> CrossValidation:
    """Evaluate an estimator on every query by a model that was not trained on it.

    Queries are dealt into folds; a query is never split. Rows of one list (data without queries) are dealt instead,
    label by label, and each fold is evaluated as a list of its own. An estimator that stops early, or chooses among
    values of a parameter, does so on a fifth of the training queries of each fold, never on those held out.

    Parameters
    ----------
    estimator : Ranker or RateClassifier
        What to train; it is cloned, and stays as it is.
    data : RankingData
        Rows with labels and queries.
    metrics : str, Metric or iterable of them, default=("ndcg@10", "map", "mrr", "auc")
        What to evaluate; a text may hold several, with spaces or commas between.
    folds : int, default=5
        Number of folds.
    random_state : int, default=0
        Seed of the folds, which do not depend on the order of the rows.
    callbacks : iterable of callable, default=()
        Each is called after every fold with its number, from 1, and {metric: value} of it.

    Returns
    -------
    CrossValidation
        The value of every query, means with intervals, and what each fold took.

    Raises
    ------
    DataError
        If there are fewer queries than folds, or a fold cannot be learned from.

    Examples
    --------
    >>> import rankwise as rw
    >>> data = rw.data.web(queries=30, documents=10, features=5, seed=0)
    >>> result = rw.cross_validate(rw.RankSVM(), data, "ndcg@10", folds=3)
    >>> len(result.per_fold["ndcg@10"]), result["ndcg@10"] > 0.5
    (3, True)
    """
    check_ranker("cross_validate", estimator)
    rows = as_rows("cross_validate", data)
    requested = list(parse_all(metrics).values())
    parts = make_folds(rows, folds, random_state)
    scores = np.empty(len(rows))
    fits, per_fold = [], []
    for fold in range(folds):
        fits.append(fit_fold(estimator, rows, parts, fold, requested[0]))
        if fits[-1].interrupted:
            raise KeyboardInterrupt
        scores[parts.held_out(fold)] = fits[-1].scores
        per_fold.append(parts.evaluate(rows, scores, requested, of=[fold]).means)
        for callback in callbacks:
            callback(fold + 1, per_fold[-1])
    return CrossValidation(
        parts.evaluate(rows, scores, requested),
        {str(metric): [means[str(metric)] for means in per_fold] for metric in requested},
        scores,
        parts.of_row,
        [fit.cpu_seconds for fit in fits],
        [fit.chosen for fit in fits],
    )
