"""What a fitted `MarginRanker` says of itself and of rows: hypotheses in words, proofs, scores, exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankwise._docstrings import inherit_sections
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError
from rankwise.objectives.margins._cutting_planes import Key, Keys
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers._base import SavableModel
from rankwise.rankers._features import training_rows
from rankwise.rankers._score_functions._functions import LinearFunction, TreeSum, kind_and_names
from rankwise.rankers.pairs._matrix import Matrix
from rankwise.rankers.pairs._tuned import TunedPairRanker
from rankwise.rankers.pairs.margin._auc_bound import AUCBound, auc_bound
from rankwise.rankers.pairs.margin._certificate import CutPoint, MarginCertificate, verify_certificate
from rankwise.rankers.pairs.margin._hypotheses import (
    FeatureHypotheses,
    HypothesisFunction,
    Scale,
    StumpHypotheses,
    function_values,
    stumps_of,
)
from rankwise.rankers.pairs.margin._programs import Method
from rankwise.rankers.pairs.margin._saved import get_state, set_state
from rankwise.types import Features, FloatArray, JsonObject


class FittedMargins(TunedPairRanker):
    """The weighted hypotheses of a model, and what is proved of them."""

    method: Method
    hypotheses: Literal["features", "stumps"] | Sequence[HypothesisFunction]
    negatives: bool
    keys_: Keys
    alpha_: FloatArray
    scale_: Scale | None
    epsilon_: float
    nu_: FloatArray | None
    cuts_: list[CutPoint]
    certificate_: MarginCertificate

    @property
    def rho_(self) -> float:
        """The margin that all but the tail of the pairs reach."""
        return float(self.certificate_.rho)

    @property
    def gamma_(self) -> float:
        """The bound of the dual program: no combination of the hypotheses has a larger value."""
        return float(self.certificate_.bound)

    @property
    def hypotheses_(self) -> list[str]:
        """What each weight of `alpha_` is of, in words."""
        if not isinstance(self.hypotheses, str):
            return [f"function {key}" for key in self.keys_]
        names = getattr(self, "feature_names_in_", [f"feature {k}" for k in range(self.n_features_in_)])

        def describe(key: Key) -> str:
            if isinstance(key, tuple):
                return f"{names[key[0]]} {'>' if key[2] > 0 else '<='} {key[1]:.6g}"
            return str(names[key]) if key >= 0 else f"-{names[-key - 1]}"

        return [describe(key) for key in self.keys_]

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the weights."""
        out = np.zeros(self.n_features_in_)
        if isinstance(self.hypotheses, str):
            features = [key[0] if isinstance(key, tuple) else key if key >= 0 else -key - 1 for key in self.keys_]
            np.add.at(out, features, self.alpha_)
        return out

    @property
    def missing_values(self) -> bool:  # type: ignore[override]
        """Whether NaN is a missing value: stumps do without what is missing."""
        return isinstance(self.hypotheses, str) and self.hypotheses == "stumps"

    def _hypotheses(self, X: Matrix, scale: Scale | None) -> FeatureHypotheses | StumpHypotheses:
        """The hypotheses on these rows."""
        if scale is None:
            return StumpHypotheses(X)
        if isinstance(self.hypotheses, str):
            return FeatureHypotheses(X, scale, self.negatives)
        return FeatureHypotheses(function_values(self.hypotheses, X), scale, both=False)

    def verify(
        self,
        X: Features | RankingData,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
    ) -> MarginCertificate:
        """Compute the certificate from scratch on these rows, which should be those of the training.

        On other rows it says what holds of those: the margin and shares are theirs, and the bound is one for them.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            Features, one row per document. RankingData brings its labels, queries and query weights along.
        y : array-like of shape (n_rows,), optional
            Labels.
        qid : array-like of shape (n_rows,), optional
            The query of each row; without it all rows are one list.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of documents.
        query_weight : array-like of shape (n_queries,), optional
            Weights of queries, by first appearance.

        Returns
        -------
        MarginCertificate
            What is proved of these rows.
        """
        check_is_fitted(self, "n_rows_")
        data = training_rows(X, y, qid, sample_weight=sample_weight, query_weight=query_weight)
        rows = self._pair_rows(data, fitting=False).counted
        lists = PairLists.of(rows.y, rows.offsets, rows.weight)
        return verify_certificate(self, lists, self._hypotheses(rows.features, self.scale_))

    def auc_bound(self, X: Features | RankingData, y: ArrayLike | None = None, *, confidence: float = 0.95) -> AUCBound:
        """Bound the AUC on rows to come, from the training rows and their margins (Suehiro 2011 theorem 1).

        It holds for features whose range was known beforehand, and for rows that are drawn independently. It is for
        very many rows: with 100 features it says nothing below about a million.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            The training rows, one list of two grades.
        y : array-like of shape (n_rows,), optional
            Labels.
        confidence : float, default=0.95
            With which the bound holds, over draws of the training rows.

        Returns
        -------
        AUCBound
            The bound, and what it is made of.
        """
        check_is_fitted(self, "n_rows_")
        if self.scale_ is None:
            raise DataError("the bound is for finitely many hypotheses, got stumps; use features")
        if not 0.0 < confidence < 1.0:
            raise DataError(f"confidence must be above 0 and below 1, got {confidence:g}; 0.95 is usual")
        rows = self._pair_rows(training_rows(X, y, None), fitting=False).counted
        lists = PairLists.of(rows.y, rows.offsets, rows.weight)
        scores = self._hypotheses(rows.features, self.scale_).scores(self.keys_, self.alpha_)
        both = self.negatives and isinstance(self.hypotheses, str)
        return auc_bound(lists, scores, int(np.count_nonzero(self.scale_.factor)) * (2 if both else 1), confidence)

    def _scores(self, X: Matrix) -> FloatArray:
        if self.missing_values:
            return stumps_of(self.keys_, self.alpha_).scores(X)
        return self._hypotheses(X, self.scale_).scores(self.keys_, self.alpha_)

    def _contributions(self, X: Matrix) -> FloatArray:
        if self.scale_ is None:
            return stumps_of(self.keys_, self.alpha_).contributions(X)
        if not isinstance(self.hypotheses, str):
            raise DataError(
                "functions of your own cannot be explained by feature, got such a model; explain them yourself"
            )
        linear = FeatureHypotheses(X, self.scale_)
        columns = np.arange(X.shape[1])
        return np.asarray(self.scale_.scaled(np.asarray(X), columns) * linear.weights(self.keys_, self.alpha_))

    @inherit_sections(SavableModel.to_score_function)
    def to_score_function(self) -> LinearFunction | TreeSum:
        """Stumps as trees, features as a linear function."""
        if not isinstance(self.hypotheses, str):
            raise DataError(
                f"functions of your own cannot be written to another system, got {len(self.hypotheses)}; "
                "export a model of features or stumps"
            )
        kind, names = kind_and_names(self)
        if self.scale_ is None:
            return TreeSum(kind, names, stumps_of(self.keys_, self.alpha_).merged().trees())
        scale = self.scale_
        weights = FeatureHypotheses(np.zeros((1, len(names))), scale).weights(self.keys_, self.alpha_)
        return LinearFunction(kind, names, weights, 0.0, scale.middle, scale.factor)

    def _get_state(self) -> JsonObject:
        return get_state(self)

    def _set_state(self, state: JsonObject) -> None:
        set_state(self, state)
