"""Training on the rows of this machine, which are checked and put into bins before the first round."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import lightgbm as lgb
import scipy.sparse as sp
from numpy.typing import ArrayLike

from rankwise._validation import as_vector
from rankwise.data._groups import QueryGroups
from rankwise.data._row_hashes import RowHashes, row_hashes
from rankwise.errors import DataError, ShapeError
from rankwise.kernels._threads import thread_count
from rankwise.metrics import parse
from rankwise.rankers._base import Ranker
from rankwise.rankers._eval_sets import (
    EvalSet,
    check_positions,
    check_weights,
    list_eval_sets,
    make_eval_set,
    warn_of_one_list,
)
from rankwise.rankers._features import TrainingRows, as_features, categorical_columns
from rankwise.rankers.trees import _lightgbm
from rankwise.rankers.trees._engine import BinnedEvalSet, LocalEngine, LocalRows
from rankwise.rankers.trees._lightgbm import (
    bin_blocks,
    bin_counts,
    bin_rows,
    binning_rows,
    check_splits,
    column_options,
    make_dataset,
)
from rankwise.rankers.trees._plan import Bootstrap, make_plan
from rankwise.rankers.trees._predict import average_scores
from rankwise.rankers.trees._streaming import SurveyedRows, as_stream, survey
from rankwise.rankers.trees._symmetric_engine import SymmetricBins, SymmetricEngine
from rankwise.rankers.trees._symmetric_trees import Borders, splitting_bins
from rankwise.rankers.trees._training import Trainer
from rankwise.rankers.trees._training_state import BagState, Rounds
from rankwise.types import AnyArray, FloatArray, IntArray, JsonObject

log = logging.getLogger(__name__)

MAX_ROWS_AT_ONCE = 1_000_000  # in bags that are trained at once: each holds its rows; LightGBM's threads do for more
MOVED_CLICKS_SHARE = 0.1  # on documents that were shown at several positions, below which a warning is logged


@dataclass(frozen=True, kw_only=True)
class LocalTrainer(Trainer):
    """A plan and rows of this machine."""

    rows: LocalRows

    def start_stage(self, state: BagState) -> LocalEngine:
        """LightGBM, or what grows symmetric trees, on the rows of a bag."""
        stage = state.bag * self.plan.stages_per_bag + len(state.finished)
        bootstrap = Bootstrap.of(self.rows.query_hashes(), self.plan, stage)
        engine_class = SymmetricEngine if self.plan.is_symmetric else LocalEngine
        engine = engine_class(self.plan, self.rows, stage, bootstrap)
        engine.objective.set_global_sums([engine.objective.sums])
        engine.start(state.rounds or Rounds(engine.init_scores(*state.header_and_trees(self.plan))))
        return engine

    def evaluate(self, boosters: Sequence[lgb.Booster]) -> float:
        """The metric of the mean of these models on the first eval_set."""
        first = self.rows.eval_sets[0]
        return first.value(self.plan.metric, self._scores(boosters, first))

    def propensities(self, boosters: Sequence[lgb.Booster]) -> tuple[IntArray, FloatArray] | None:
        """The positions and how likely each is looked at, by the mean scores of these models."""
        if self.rows.positions is None:
            return None
        bias = self.rows.position_bias(slice(None))
        if bias.moved < MOVED_CLICKS_SHARE:
            log.warning(
                "%.0f%% of the clicks are on documents that were shown at several positions: propensities rest on the "
                "trees, which cannot tell a position from what put a document there (docs/clicks.md)",
                100 * bias.moved,
            )
        return bias.positions, bias.propensities(self._scores(boosters, self.rows))

    def _scores(self, boosters: Sequence[lgb.Booster], rows: LocalRows | BinnedEvalSet) -> FloatArray:
        scores = average_scores(boosters, rows.X, self.plan.parameters["num_threads"])
        return scores if rows.init_score is None else scores + rows.init_score

    def row_arrays(self) -> list[AnyArray | None]:
        """Arrays that tell the rows of one training from those of another."""
        rows = self.rows
        arrays: list[AnyArray | None] = [rows.y, rows.groups.offsets, rows.groups.order]
        arrays += [rows.row_weight, rows.query_weight, rows.init_score, rows.positions]
        for eval_set in rows.eval_sets:
            arrays += [eval_set.y, eval_set.qid, eval_set.init_score]
        for data in rows.all_sets:
            arrays += _feature_arrays(data.X)
        return arrays


def make_local_trainer(
    model: Ranker, data: TrainingRows, eval_set: object, init_score: ArrayLike | None, init_model: object, seed: int
) -> LocalTrainer:
    """Check everything that `fit` of a LambdaMART was called with, and put the rows into bins."""
    X, y, qid = _read_rows(model, data)
    n_rows = X.shape[0]
    groups = QueryGroups.single(y.size) if qid is None else QueryGroups.from_qid(qid)
    if y.size != n_rows or groups.n_rows != n_rows:
        raise ShapeError(f"X, y and qid must have one entry per row, got {n_rows}, {y.size} and {groups.n_rows}")
    positions = check_positions(data.position, y)
    eval_sets = list_eval_sets(eval_set, groups.n_queries)
    warn_of_one_list(parse(model.metric), n_rows, groups.n_queries)
    plan = make_plan(
        model,
        y,
        n_rows,
        groups.n_queries,
        has_eval_set=bool(eval_sets),
        has_positions=positions is not None,
        has_init_score=init_score is not None,
        init_model=init_model,
        may_be_symmetric=not (categorical := categorical_columns(model, model.categorical_feature)),
        seed=seed,
    )
    hashes = X.hashes if isinstance(X, SurveyedRows) else row_hashes(X, y)
    start = check_init_score(init_score, n_rows)
    dataset, bins = None, None
    if plan.is_symmetric:
        judged = [_read_eval_set(model, rows, start is not None) for rows in eval_sets]
        bins = _bin_symmetric(X, hashes, [rows.X for rows in judged], plan.parameters)
        binned = [BinnedEvalSet(rows.X, rows.y, rows.qid, rows.init_score, dataset=None) for rows in judged]
        check_splits(bins.n_bins.tolist(), model.min_child_samples, n_rows)
    else:
        options = column_options(model.n_features_in_, categorical)
        dataset = _bin_by_lightgbm(X, y, hashes, plan.parameters, options)
        binned = [_bin_eval_set(model, rows, dataset, plan.parameters, start is not None) for rows in eval_sets]
        check_splits(bin_counts(dataset), model.min_child_samples, n_rows)
    rows = LocalRows(
        X=X,
        dataset=dataset,
        bins=bins,
        y=y,
        groups=groups,
        hashes=hashes,
        row_weight=check_weights("sample_weight", data.sample_weight, n_rows, "row"),
        query_weight=check_weights("query_weight", data.query_weight, groups.n_queries, "query"),
        positions=positions,
        init_score=start,
        eval_sets=binned,
    )
    threads = plan.parameters["num_threads"] or thread_count()
    bags_at_once = max(1, min(plan.n_bags, threads, MAX_ROWS_AT_ONCE // n_rows))
    if bags_at_once > 1:
        plan = replace(plan, parameters=plan.parameters | {"num_threads": threads // bags_at_once})
    return LocalTrainer(
        plan=plan,
        bags_at_once=bags_at_once,
        n_rows=n_rows,
        n_queries=groups.n_queries,
        n_eval_sets=len(eval_sets),
        rows=rows,
    )


def check_init_score(init_score: ArrayLike | None, n_rows: int) -> FloatArray | None:
    """Scores to start from, one per row; None where there are none."""
    if init_score is None:
        return None
    scores = as_vector("init_score", init_score)
    if scores.size != n_rows:
        raise ShapeError(f"init_score must have one score per row: got {scores.size} for {n_rows} rows")
    return scores


def _read_rows(model: Ranker, data: TrainingRows) -> tuple[Any, FloatArray, Any]:
    """Features, labels and queries; files stand for their features, which are read again in each pass."""
    stream = as_stream(data.X, data.y, data.qid)
    if stream is not None:
        surveyed = survey(as_features(model, stream, fitting=True), _lightgbm.BINNING_ROWS)
        if surveyed.y.size < 2:
            raise DataError(f"{stream} must have 2 or more rows to learn from, got {surveyed.y.size}; name more data")
        return surveyed, surveyed.y, surveyed.qid
    features = as_features(model, data.X, fitting=True)
    if data.y is None:
        raise DataError("LambdaMART requires y to be passed, but the target y is None; pass the labels")
    return features, as_vector("labels", data.y), data.qid


def _bin_by_lightgbm(
    X: Any, y: FloatArray, hashes: RowHashes, parameters: JsonObject, options: JsonObject
) -> lgb.Dataset:
    if not isinstance(X, SurveyedRows):
        return bin_rows(X, y, hashes, params=parameters, **options)
    parameters["force_col_wise"] = True  # else LightGBM may keep the bins twice
    reference = make_dataset(*X.sample.take()[1:], params=parameters, **options)
    return bin_blocks(X, y, parameters, reference)


def _bin_symmetric(X: Any, hashes: RowHashes, eval_X: Sequence[Any], parameters: JsonObject) -> SymmetricBins:
    """Training rows and eval_sets in bins for symmetric trees."""
    sample = X.sample.take()[1] if isinstance(X, SurveyedRows) else X[binning_rows(hashes)]
    borders = Borders(sample, parameters["max_bin"])
    codes, *eval_codes = (
        borders.codes(rows.blocks() if isinstance(rows, SurveyedRows) else [rows], rows.shape[0])
        for rows in (X, *eval_X)
    )
    return SymmetricBins(
        borders, splitting_bins(codes, borders.n_bins, parameters["min_data_in_leaf"]), codes, eval_codes
    )


def _read_eval_set(model: Ranker, eval_set: Any, needs_scores: bool) -> EvalSet:
    """An eval_set, checked."""
    stream = as_stream(eval_set)
    if stream is not None:
        surveyed = survey(as_features(model, stream, fitting=False), 0)
        rows = EvalSet(surveyed, surveyed.y, surveyed.qid)
    else:
        forms = "RankingData, (X, y, qid), Parquet files or a list of these"
        rows = make_eval_set(eval_set, lambda X: as_features(model, X, fitting=False), forms=forms, takes_scores=True)
    if needs_scores and rows.init_score is None:
        raise DataError(
            "a model that starts from an init_score is evaluated with scores too; pass eval_set=(X, y, qid, scores)"
        )
    return rows


def _bin_eval_set(
    model: Ranker, eval_set: Any, reference: lgb.Dataset, parameters: JsonObject, needs_scores: bool
) -> BinnedEvalSet:
    """An eval_set, checked, in the bins of the training rows."""
    rows = _read_eval_set(model, eval_set, needs_scores)
    if isinstance(rows.X, SurveyedRows):
        dataset = bin_blocks(rows.X, rows.y, parameters, reference)
    else:
        dataset = make_dataset(rows.X, rows.y, params=parameters, reference=reference)
    return BinnedEvalSet(rows.X, rows.y, rows.qid, rows.init_score, dataset=dataset)


def _feature_arrays(X: Any) -> list[AnyArray]:
    """Arrays that tell the features of one data set from those of another."""
    if isinstance(X, SurveyedRows):
        return [X.hashes]
    if isinstance(X, sp.csr_matrix):
        return [X.data, X.indices, X.indptr]
    return [X]
