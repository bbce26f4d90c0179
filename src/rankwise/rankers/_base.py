"""What every model is: a scikit-learn estimator that can be saved; and a ranker, whose score is its metric."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import RegressorTags, Tags

from rankwise._docstrings import inherit_sections
from rankwise._validation import as_array, as_vector, register
from rankwise.data._groups import QueryGroups
from rankwise.data._ranking_data import RankingData
from rankwise.data._sources import RowSource
from rankwise.errors import DataError
from rankwise.metrics import Metric, evaluate, parse
from rankwise.rankers._eval_sets import check_qid
from rankwise.rankers._features import MatchedColumns, training_rows
from rankwise.rankers._parameters import Constraint
from rankwise.types import Features, FloatArray, JsonObject

if TYPE_CHECKING:
    from rankwise.rankers._score_functions._functions import ScoreFunction

log = logging.getLogger(__name__)

_KINDS: dict[str, type[SavableModel]] = {}


@dataclass(frozen=True)
class SavedModel:
    """What a model file holds: plain values for its manifest, and bytes by name for its other members.

    Parameters
    ----------
    kind : str
        What the class of the model is called in files.
    metric : str
        What the model is evaluated by.
    parameters : dict
        Parameters of the estimator by name, as JSON has them.
    n_features : int
        Number of features.
    feature_names : list of str or None
        Names of the features, if they have names.
    summary : dict
        Numbers and texts: what was learned, if it is small, and how.
    members : dict of str to bytes
        What is large, by the name of a file; none of it is ever code.
    categories : dict of str to list of str
        Values of the features that are categories, by name; a code is a place in such a list.
    """

    kind: str
    metric: str
    parameters: JsonObject
    n_features: int
    feature_names: list[str] | None
    summary: JsonObject = field(default_factory=dict)
    members: dict[str, bytes] = field(default_factory=dict)
    categories: dict[str, list[str]] = field(default_factory=dict)


class SavableModel(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all models; a subclass with a `kind` can be saved and loaded under that name."""

    kind: ClassVar[str] = ""
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {}

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        register(cls, "kind", _KINDS)

    @abstractmethod
    def scores(self, X: Features | RankingData) -> FloatArray:
        """Give a number for each row: the higher, the better its rank, or the likelier positive.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores; of a classifier of several classes, a column each.
        """

    def checked_scores(self, X: FloatArray) -> FloatArray:
        """Give the `scores` of a matrix known to be sound, so that its columns need not be checked again.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            The features of the training data in their order, nothing infinite.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores.
        """
        return self.scores(MatchedColumns(X))  # type: ignore[arg-type]

    @abstractmethod
    def to_saved(self) -> SavedModel:
        """Give the fitted model as plain values and bytes.

        Returns
        -------
        SavedModel
            What a model file holds.
        """

    @classmethod
    @abstractmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """Make the model that `to_saved` described.

        Parameters
        ----------
        saved : SavedModel
            What a model file holds. Files may come from anyone, so all of it must be checked.

        Returns
        -------
        SavableModel
            The fitted model.

        Raises
        ------
        ModelFileError
            If anything is wrong with what the file holds.
        """

    def to_score_function(self) -> ScoreFunction:
        """State what the fitted model computes, for systems without rankwise.

        Returns
        -------
        ScoreFunction
            Trees, a linear function or a net, from which an export is written.

        Raises
        ------
        DataError
            If no other system can compute it.
        """
        raise DataError(f"export does not know models of kind {self.kind!r}; load it in Python where it is needed")


class Ranker(SavableModel):
    """Base of all rankers: estimators whose `score` is the metric that they have as a parameter."""

    metric: str | Metric
    # With scikit-learn's metadata routing, qid finds its way through pipelines and searches without being asked for.
    __metadata_request__fit: ClassVar = {"qid": True}
    __metadata_request__score: ClassVar = {"qid": True}

    @abstractmethod
    @inherit_sections(SavableModel.scores)
    def predict(self, X: Features | RankingData) -> FloatArray:
        """Give a score for each row: the higher, the better its rank."""

    @inherit_sections(SavableModel.scores)
    def scores(self, X: Features | RankingData) -> FloatArray:
        """Give what `predict` gives, by the name that all models have for it."""
        return self.predict(X)

    def score(
        self,
        X: Features | RankingData | RowSource,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Give the metric of this model on these rows, queries without a value left out.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels, queries and their weights along.
        y : array-like of shape (n_rows,), default=None
            Labels: the higher, the better.
        qid : array-like of shape (n_rows,), default=None
            The query of each row; None is one list, and is refused by a model that learned from several queries.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of rows. Metrics weigh queries, not rows: a query weighs the mean over its rows.

        Returns
        -------
        float
            The value of the metric.
        """
        metric = parse(self.metric)
        data = training_rows(X, y, qid, sample_weight=sample_weight, takes_position=True)
        weight = data.query_weight
        if data.y is None:
            raise DataError("a score needs labels, got y=None; pass them, or RankingData, which has them")
        check_qid("what is scored", data.qid, getattr(self, "n_queries_", 1), "as qid=")
        if sample_weight is not None:
            rows = as_vector("weights", sample_weight)
            groups = QueryGroups.of_rows(data.qid, rows.size)
            weight = np.add.reduceat(groups.grouped(rows), groups.offsets[:-1]) / groups.sizes
        scores = self.predict(X)  # type: ignore[arg-type]  # a RowSource is passed by rankers that predict one
        value = evaluate(as_array("labels", data.y), scores, data.qid, metric, query_weight=weight)[metric]
        if np.isnan(value):
            log.warning("%s has no value on these rows, as no query has %s; pass other rows", metric, metric.needs)
        return value

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        # A number per row: what lets scikit-learn's partial dependence take a ranker. How near it is to the label says
        # nothing of a ranking.
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags(poor_score=True)
        return tags


def model_kinds() -> dict[str, type[SavableModel]]:
    """Every class of models that can be saved, by kind."""
    return dict(_KINDS)
