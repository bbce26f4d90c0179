"""What a fitted `LambdaMART` says of itself and of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import lightgbm as lgb
import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.data._sources import RowSource
from rankwise.rankers._base import Ranker, SavableModel, SavedModel
from rankwise.rankers._explanation import Explanation, explain_rows
from rankwise.rankers._features import as_features
from rankwise.rankers._score_functions._functions import TreeSum, kind_and_names
from rankwise.rankers.trees._lightgbm import engine_threads
from rankwise.rankers.trees._predict import average_scores
from rankwise.rankers.trees._saved import from_saved, to_saved
from rankwise.rankers.trees._score_function import booster_trees
from rankwise.rankers.trees._streaming import as_stream, survey
from rankwise.types import Features, FloatArray

if TYPE_CHECKING:
    from distributed import Client

Path: TypeAlias = "str | PathLike[str]"
# One row per document, in memory or in Parquet files.
Rows: TypeAlias = "Features | RankingData | RowSource | Path | Sequence[Path]"


class FittedTrees(Ranker):
    """Scores, explanations and the file of the trees of a model."""

    _takes_categories: ClassVar[bool] = True
    n_jobs: int | None
    boosters_: list[lgb.Booster]
    best_iteration_: int

    def _average(self, X: Any, **options: bool) -> FloatArray:
        return average_scores(self.boosters_, X, engine_threads(self.n_jobs), **options)

    def predict(self, X: Rows, *, client: Client | None = None) -> FloatArray:
        """A score for each row: the higher, the better its rank.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix, data frame, path or list of paths
            Rows with the features of the training data; Parquet files are read in passes.
        client : distributed.Client, default=None
            Of a Dask cluster, whose workers then read the files; X may be a Dask DataFrame as well.

        Returns
        -------
        ndarray of float
            One score per row, in the order of the rows.
        """
        check_is_fitted(self, "boosters_")
        if client is not None:
            cluster = on_cluster()
            rows = as_features(self, cluster.distribute(client, X), fitting=False)
            return np.concatenate(list(cluster.cluster_scores(self.boosters_, client, rows)))
        stream = as_stream(X)
        return self._average(as_features(self, X if stream is None else stream, fitting=False))

    def score(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """The metric of this model on these rows, queries without a value left out.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix, data frame, path or list of paths
            Rows with the features of the training data; RankingData and Parquet files bring labels and queries along.
        y : array_like, default=None
            The label of each row, where X does not bring it along.
        qid : array_like, default=None
            The query of each row; None is one list.
        sample_weight : array_like, default=None
            Metrics weigh queries, not rows: a query weighs the mean of this over its rows.

        Returns
        -------
        float
            The value of the metric.
        """
        stream = as_stream(X, y, qid)
        if stream is not None:
            surveyed = survey(stream, 0)
            y, qid = surveyed.y, surveyed.qid
        rows: Any = X if stream is None else stream
        return super().score(rows, y, qid, sample_weight)

    def checked_scores(self, X: FloatArray) -> FloatArray:
        """Scores of a matrix known to be sound, without the checks, which take long beside the trees of few rows.

        Parameters
        ----------
        X : ndarray
            One column per feature, nothing infinite.

        Returns
        -------
        ndarray of float
            What `predict` gives.
        """
        return np.asarray(self._average(X), dtype=np.float64)

    def staged_predict(self, X: Features | RankingData) -> Iterator[FloatArray]:
        """Scores after each round, the last being those of `predict`.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix or data frame
            Rows with the features of the training data.

        Yields
        ------
        ndarray of float
            One score per row.
        """
        check_is_fitted(self, "boosters_")
        features = as_features(self, X, fitting=False)
        scores = [np.zeros(features.shape[0]) for _ in self.boosters_]
        for number in range(self.best_iteration_):
            for total, booster in zip(scores, self.boosters_, strict=True):
                if number < booster.current_iteration():
                    total += booster.predict(features, raw_score=True, start_iteration=number, num_iteration=1)
            yield np.asarray(sum(scores[1:], start=scores[0]) / len(scores))

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the gain of all splits."""
        check_is_fitted(self, "boosters_")
        gain = np.sum([booster.feature_importance("gain") for booster in self.boosters_], axis=0)
        return np.asarray(gain / max(gain.sum(), np.finfo(float).tiny))

    def explain(self, X: Features | RankingData, i: int, j: int) -> Explanation:
        """Why row `i` of X is above row `j` (or below): what each feature adds to the difference of their scores.

        Parameters
        ----------
        X : RankingData, array_like, sparse matrix or data frame
            Rows with the features of the training data.
        i : int
            Number of a row of X, from 0.
        j : int
            Number of another.

        Returns
        -------
        Explanation
            The difference of the two scores, feature by feature.
        """
        check_is_fitted(self, "boosters_")
        return explain_rows(self, as_features(self, X, fitting=False), i, j)

    def to_saved(self) -> SavedModel:
        """The fitted model as plain values and bytes.

        Returns
        -------
        SavedModel
            What a model file holds.
        """
        check_is_fitted(self, "boosters_")
        return to_saved(self)

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """The model that `to_saved` described.

        Parameters
        ----------
        saved : SavedModel
            What a model file holds.

        Returns
        -------
        LambdaMART
            The fitted model.

        Raises
        ------
        ModelFileError
            If anything is wrong with it.
        """
        return from_saved(cls, saved)

    @inherit_sections(SavableModel.to_score_function)
    def to_score_function(self) -> TreeSum:
        """The trees of all bags, each leaf by its share."""
        trees = [tree for booster in self.boosters_ for tree in booster_trees(booster, 1.0 / len(self.boosters_))]
        return TreeSum(*kind_and_names(self), trees)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def on_cluster() -> ModuleType:
    """What needs dask, which is an extra."""
    from rankwise.rankers.trees import dask as distributed

    return distributed
