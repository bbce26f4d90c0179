"""What is trained, in which stages and from which start; where the rows are is a trainer's business."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import lightgbm as lgb
import numpy as np

from rankwise.data._arrow_columns import Categories
from rankwise.data._row_hashes import RowHashes
from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric, parse
from rankwise.objectives.lambdas._objective import Norm
from rankwise.rankers._base import Ranker
from rankwise.rankers._features import categories_of, values_by_column
from rankwise.rankers.trees._capacity import fill_in
from rankwise.rankers.trees._lightgbm import engine_parameters
from rankwise.rankers.trees._model_text import split_trees
from rankwise.types import FloatArray, IntArray, JsonObject

# After a plain model the λ's take smaller steps: they refine a ranking that is good already.
REFINE_LEARNING_RATE_FACTOR = 0.2


@dataclass(frozen=True)
class Stage:
    """Rounds of one bag on one loss: "logloss" or "l2" to start from, "lambdas" to end with."""

    bag: int
    loss: str
    learning_rate: float


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """All that decides what is trained, but for the rows."""

    metric: Metric
    trained_metric: Metric  # whose λ's are descended
    init_header: list[str]  # of a model that every bag continues
    init_trees: list[str]
    stages: Sequence[Stage]
    parameters: JsonObject  # of LightGBM
    is_symmetric: bool  # whether trees ask the same question in all leaves of a depth
    max_rounds: int  # of each stage
    patience: int | None
    norm: Norm | None
    sigma: float
    query_subsample: float
    split_noise: float  # in units of the gradients' mean size
    ranking_noise: float  # in units of scores
    seed: int

    @property
    def has_bags(self) -> bool:
        """Whether there are several bags, so that each draws its queries."""
        return self.n_bags > 1

    @property
    def n_bags(self) -> int:
        """Number of bags."""
        return self.stages[-1].bag + 1

    @property
    def stages_per_bag(self) -> int:
        """Stages of each bag."""
        return len(self.stages) // self.n_bags

    def stage_seed(self, stage: int) -> int:
        """What is drawn in a stage follows from this."""
        return int(np.random.default_rng([self.seed, stage]).integers(2**31))

    def bag_seed(self, stage: int) -> list[int]:
        """What is drawn for the bag of a stage follows from this."""
        return [self.seed, self.stages[stage].bag, 1]


def make_plan(
    model: Ranker,
    labels: FloatArray,
    n_rows: int,
    n_queries: int,
    *,
    has_eval_set: bool,
    has_positions: bool,
    has_init_score: bool,
    init_model: object,
    may_be_symmetric: bool,
    seed: int,
) -> TrainingPlan:
    """The plan of a LambdaMART for rows with these labels, each of which may be listed once."""
    parameters = fill_in(model.get_params(deep=False), n_rows, n_queries, may_be_symmetric=may_be_symmetric)
    if parameters["query_subsample"] < 1.0 and n_queries == 1:
        raise DataError("query_subsample draws whole queries, got one list; leave it at 1.0 or pass qid")
    metric = parse(parameters["metric"])
    has_start = has_init_score or init_model is not None
    init = resolve_init(parameters["init"], labels, n_queries, has_start=has_start, has_positions=has_positions)
    header, trees = warm_start(init_model, model.n_features_in_, categories_of(model))
    monotone = values_by_column(model, parameters["monotone_constraints"], "monotone_constraints")
    return TrainingPlan(
        metric=metric,
        trained_metric=parameters["surrogate"],
        init_header=header,
        init_trees=trees,
        stages=build_stages(parameters["learning_rate"], parameters["bags"], init, refines=bool(trees)),
        parameters=engine_parameters(parameters, monotone),
        is_symmetric=parameters["grow_policy"] == "symmetric",
        max_rounds=int(parameters["n_estimators"]),
        patience=parameters["early_stopping_rounds"] if has_eval_set else None,
        norm=parameters["norm"],
        sigma=float(parameters["sigma"]),
        query_subsample=float(parameters["query_subsample"]),
        split_noise=float(parameters["split_noise"]),
        ranking_noise=float(parameters["ranking_noise"]),
        seed=seed,
    )


def resolve_init(
    init: str | None, labels: FloatArray, n_queries: int, *, has_start: bool = False, has_positions: bool = False
) -> str | None:
    """The plain loss that comes first, if any: "auto" is the log loss on one list of two kinds of documents.

    On six such data sets λ's from zero lost .0085 of AUC and average precision against the log loss, and nothing after
    it; in queries they gain from zero (benchmarks/warm_start.py, benchmarks/lambdamart.py).
    """
    if init == "auto":
        kinds = np.unique(np.maximum(labels, 0.0))
        one_list_of_two_kinds = n_queries == 1 and kinds.size == 2 and kinds[0] == 0.0
        return "logloss" if one_list_of_two_kinds and not has_start and not has_positions else None
    if init is not None and has_positions:
        # Plain losses would learn positions along with relevance.
        raise DataError(f"init must be None where positions are given, since {init!r} knows no positions; drop one")
    if init is not None and has_start:
        raise DataError(
            f"training starts from init_score and init_model or from a plain loss, got init={init!r} too; "
            'leave init at "auto" or None'
        )
    return init


def warm_start(init_model: object, n_features: int, categories: Categories) -> tuple[list[str], list[str]]:
    """Header and trees of a model that is to be continued, if any."""
    if init_model is None:
        return [], []
    # Ours has one booster per bag, LightGBM's estimators have one, and a booster is itself.
    boosters = getattr(init_model, "boosters_", None) or [getattr(init_model, "booster_", init_model)]
    if not isinstance(boosters[0], lgb.Booster):
        raise DataError(
            f"init_model must be fitted trees, got {type(init_model).__name__}, fitted or not; fit a LambdaMART or a "
            "LightGBM model, or pass the scores of yours as init_score"
        )
    if len(boosters) > 1:
        raise DataError(f"init_model must be a model of one bag, got one of {len(boosters)}; fit it with bags=1")
    (booster,) = boosters
    if booster.num_feature() != n_features or booster.num_model_per_iteration() != 1:
        raise ShapeError(
            f"init_model must be a model of one score on the same features, got {booster.num_model_per_iteration()} "
            f"scores on {booster.num_feature()} features for X with {n_features}"
        )
    if categories_of(init_model) != categories:
        raise DataError(
            "init_model was trained on other categories than X has, so that its trees would misread them; "
            "declare all values as categories of the frame, and fit init_model again"
        )
    return split_trees(booster.model_to_string())


def build_stages(learning_rate: float, n_bags: int, init: str | None, *, refines: bool) -> list[Stage]:
    """The stages of all bags: a plain loss first where `init` names one, then the metric."""
    losses = [] if init is None else [(init, learning_rate)]
    refines = refines or init is not None
    losses.append(("lambdas", learning_rate * REFINE_LEARNING_RATE_FACTOR if refines else learning_rate))
    return [Stage(bag, loss, rate) for bag in range(n_bags) for loss, rate in losses]


@dataclass(frozen=True)
class Bootstrap:
    """What a stage draws by queries: how often each is in its bag, and its place among the `n_drawn` that are in it.

    `one_list` is data without other queries to draw: its rows are drawn.
    """

    counts: FloatArray
    places: IntArray
    n_drawn: int
    one_list: bool

    @classmethod
    def of(cls, query_hashes: RowHashes, plan: TrainingPlan, stage: int) -> Bootstrap:
        """Drawn by what stands in the queries, in whatever order they come; all once where there are no bags."""
        n_queries = query_hashes.size
        counts = np.ones(n_queries)
        if plan.has_bags and n_queries > 1:
            counts = bootstrap_counts(query_hashes, plan.bag_seed(stage))
        drawn = np.flatnonzero(counts)
        places = np.full(n_queries, -1)
        places[drawn] = _ranks(query_hashes[drawn])
        return cls(counts, places, drawn.size, n_queries == 1)

    def of_queries(self, queries: IntArray) -> Bootstrap:
        """What concerns some of the queries."""
        return replace(self, counts=self.counts[queries], places=self.places[queries])


def bootstrap_counts(hashes: RowHashes, seed: list[int]) -> FloatArray:
    """How often each is drawn, by what tells them apart."""
    drawn = np.random.default_rng(seed).integers(hashes.size, size=hashes.size)
    return np.bincount(drawn, minlength=hashes.size).astype(np.float64)[_ranks(hashes)]


def _ranks(hashes: RowHashes) -> IntArray:
    return np.argsort(np.argsort(hashes, kind="stable"))
