"""LambdaMART and its parameters: boosted trees on the λ-gradients of any metric, grown by LightGBM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from numpy.random import RandomState

from rankwise.metrics import Metric
from rankwise.objectives.lambdas._objective import Norm
from rankwise.objectives.lambdas._surrogates import Surrogate
from rankwise.rankers._parameters import (
    MAPPING,
    METRIC,
    N_JOBS,
    NONE,
    SEQUENCE,
    TEXT,
    VERBOSE,
    Constraint,
    Integer,
    OneOf,
    Real,
)
from rankwise.rankers.trees._boosting import BoostedTrees


class LambdaMART(BoostedTrees):
    """Boosted trees that learn to rank by the metric they are evaluated by.

    `metric` is any metric of rankwise, by text or by value; the trees descend its λ-gradients, `score` is its value,
    and with an `eval_set` training stops on it. Labels may be any finite numbers (below 0: not judged), queries of any
    length, rows in any order; a feature that is NaN is missing.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        What to rank by and to stop on, as `rankwise.metrics.parse` reads it.
    n_estimators : int in [1, 1e6] or None, default=None
        Rounds, each of which adds a tree; of a plain loss that comes first as many again. Here and below, None follows
        the data (see Notes).
    learning_rate : float in (0, 1000] or None, default=None
        How much of each tree is added.
    num_leaves : int in [2, 131072] or None, default=None
        Leaves that a tree has at most.
    grow_policy : {"lossguide", "symmetric"} or None, default=None
        "lossguide" splits the leaf that gains most, by LightGBM; "symmetric" asks the same question in all leaves of a
        depth, as CatBoost does, which generalises better from few queries. None follows the data where `num_leaves`
        does, too, and is "lossguide" where that is given.
    min_child_samples : int in [0, 2147483647], default=20
        Rows that a leaf has at least.
    min_sum_hessian_in_leaf : float in [1e-6, 1e300], default=1.0
        Sum of Hessians that a leaf has at least: below 1e-6, rounding makes leaves that hold no row, which LightGBM
        fails on. See Notes.
    reg_lambda : float in [0, 1e300], default=5.0
        L2 penalty on the values of leaves, which is added to their sum of Hessians.
    colsample_bytree : float in (0, 1], default=1.0
        Share of the features that each tree may split by.
    max_bin : int in [2, 65535] or None, default=None
        Bins per feature. None is 255, and 127 for 50,000 rows or more, where fewer bins lost nothing.
    monotone_constraints : sequence or mapping, default=None
        -1 (falling), 0 (free) or 1 (rising) for each feature, or a mapping from some of them, by name or number.
    categorical_feature : sequence of str or int, default=None
        Names or numbers of features that are categories (whole numbers from 0); category columns of pandas are known
        without it.
    surrogate : {"auto", "swap"} or metric, default="auto"
        Whose λ's are descended. "auto" is what trains the metric best (`Metric.for_training`), "swap" the change of the
        metric itself when two documents change places, as in the papers, and a metric that of another one; training
        stops on `metric` in any case.
    norm : {"gap"} or None, default="gap"
        "gap" divides |ΔM| of a pair by 0.01 plus the difference of its scores, as LightGBM does; None leaves it.
    sigma : float in (0, 1e6], default=1.0
        Steepness σ of the pairs' logistic cost.
    bags : int in [1, 10000], default=1
        Models on bootstraps of the queries (of the rows, if there is one list), whose scores are averaged.
    query_subsample : float in (0, 1], default=1.0
        Share of the queries that each round learns from.
    split_noise : float in [0, 1000] or None, default=None
        Noise in the choice of splits, in units of the gradients' mean size: trees are grown on noisy gradients, and
        their leaves take the values of the true ones. With few queries it keeps trees from learning them by heart.
    ranking_noise : float in [0, 1e6], default=0.0
        Noise in the ranking that λ's are computed from, in units of scores, drawn anew in each round.
    init : {"auto", "logloss", "l2"} or None, default="auto"
        Plain loss to train on first, with as many rounds and the same stopping, before the trees turn to the metric
        with a fifth of the learning rate: "logloss" (of labels above 0), "l2", or None for none. "auto" is "logloss"
        for one list with labels 0 and another, unless `fit` gets an `init_score`, `init_model` or `position`; else
        None.
    early_stopping_rounds : int in [1, 1e6] or None, default=100
        With an `eval_set`, rounds without a better value before training ends; the rounds up to the best are kept.
        None trains and keeps all rounds.
    random_state : int in [0, 4294967295], RandomState or None, default=None
        A number makes the same data give the same model, bit for bit, whatever the number of threads.
    n_jobs : int in [-1024, 1024] or None, default=None
        Threads; None is all cores. Bags are trained at once, as many as there are threads, on up to a million rows in
        all; callbacks then see a round of one bag after that of another, and Ctrl-C keeps the best rounds of each.
    verbose : int in [0, 1e6], default=0
        Log the metric every so many rounds; 0 is never.

    Attributes
    ----------
    boosters_ : list of lightgbm.Booster
        The trees of each bag.
    evals_result_ : dict
        Values of the metric after each round, by eval_set ("valid_0", with bags "bag_0.valid_0") and metric.
    best_iteration_ : int
        Rounds in the model, of the longest bag.
    best_score_ : float or None
        The metric of the model on the first eval_set.
    n_rows_ : int
        Rows of the training data.
    n_queries_ : int
        Queries of the training data.
    positions_ : ndarray of int or None
        Positions of the clicks that were learned from.
    propensities_ : ndarray of float or None
        How likely each of `positions_` is looked at.
    interrupted_ : bool
        Whether Ctrl-C ended training.
    n_features_in_ : int
        Features of the training data.
    feature_names_in_ : ndarray of str
        Their names, where they have some.

    See Also
    --------
    LambdaRank : A neural net on the same gradients.

    Notes
    -----
    For a pair of documents of a query with labels yᵢ > yⱼ and scores sᵢ, sⱼ the cost is
    C = |ΔMᵢⱼ| log(1 + exp(-σ(sᵢ - sⱼ))), where ΔMᵢⱼ is the change of the metric when the two change places. A row's λ
    is the sum of ∂C/∂s over its pairs, and a leaf takes the Newton step -Σλ / (Σw + `reg_lambda`), w being the second
    derivatives (Burges 2010, section 7).

    With few rows |ΔMᵢⱼ| and the cost are others (`surrogate`). Parameters that are None are, for several queries of up
    to 20,000 rows, 400 symmetric trees of 64 leaves at a learning rate of 0.05 with split noise 2 (where symmetric
    trees cannot be grown or `num_leaves` is given, 200 of 8 leaves at 0.1 with split noise 1); up to 50,000 rows 200 of
    31 leaves at 0.1 with split noise 1; else, and for one list, 100 of 31 leaves at 0.1 without noise.

    λ's are scaled so that a row's mean Hessian at equal scores is 1/4, whatever the metric: limits and penalties on
    Hessians mean what they mean for the log loss. The defaults come from benchmarks/tune_lambdamart.py.

    References
    ----------
    C. J. C. Burges, R. Ragno, Q. V. Le (2006). Learning to Rank with Nonsmooth Cost Functions. NIPS 19.

    C. J. C. Burges (2010). From RankNet to LambdaRank to LambdaMART: An Overview. Microsoft Research MSR-TR-2010-82.

    S. J. Welleck (2016). Efficient AUC Optimization for Information Ranking Applications. ECIR.

    Examples
    --------
    >>> import rankwise as rw
    >>> data = rw.data.cubic(queries=20, documents=20, features=5)
    >>> model = rw.LambdaMART("ndcg@5", n_estimators=5, random_state=0).fit(data)
    >>> model.score(data) > 0.7
    True
    """

    kind: ClassVar[str] = "lambdamart"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        "n_estimators": [Integer(1, 10**6), NONE],
        "learning_rate": [Real(0, 1e3, open_low=True), NONE],
        "num_leaves": [Integer(2, 131_072), NONE],
        "grow_policy": [OneOf("lossguide", "symmetric"), NONE],
        "min_child_samples": [Integer(0, 2**31 - 1)],
        "min_sum_hessian_in_leaf": [Real(1e-6, 1e300)],
        "reg_lambda": [Real(0, 1e300)],
        "colsample_bytree": [Real(0, 1, open_low=True)],
        "max_bin": [Integer(2, 65_535), NONE],
        "monotone_constraints": [SEQUENCE, MAPPING, NONE],
        "categorical_feature": [SEQUENCE, NONE],
        "surrogate": [TEXT, METRIC],
        "norm": [OneOf("gap"), NONE],
        "sigma": [Real(0, 1e6, open_low=True)],
        "bags": [Integer(1, 10**4)],
        "query_subsample": [Real(0, 1, open_low=True)],
        "split_noise": [Real(0, 1e3), NONE],
        "ranking_noise": [Real(0, 1e6)],
        "init": [OneOf("auto"), NONE, OneOf("logloss", "l2")],
        "early_stopping_rounds": [Integer(1, 10**6), NONE],
        "n_jobs": [N_JOBS],
        "verbose": [VERBOSE],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        n_estimators: int | None = None,
        learning_rate: float | None = None,
        num_leaves: int | None = None,
        grow_policy: str | None = None,
        min_child_samples: int = 20,
        min_sum_hessian_in_leaf: float = 1.0,
        reg_lambda: float = 5.0,
        colsample_bytree: float = 1.0,
        max_bin: int | None = None,
        monotone_constraints: Sequence[int] | Mapping[str | int, int] | None = None,
        categorical_feature: Sequence[str | int] | None = None,
        surrogate: Surrogate = "auto",
        norm: Norm | None = "gap",
        sigma: float = 1.0,
        bags: int = 1,
        query_subsample: float = 1.0,
        split_noise: float | None = None,
        ranking_noise: float = 0.0,
        init: str | None = "auto",
        early_stopping_rounds: int | None = 100,
        random_state: int | RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.grow_policy = grow_policy
        self.min_child_samples = min_child_samples
        self.min_sum_hessian_in_leaf = min_sum_hessian_in_leaf
        self.reg_lambda = reg_lambda
        self.colsample_bytree = colsample_bytree
        self.max_bin = max_bin
        self.monotone_constraints = monotone_constraints
        self.categorical_feature = categorical_feature
        self.surrogate = surrogate
        self.norm = norm
        self.sigma = sigma
        self.bags = bags
        self.query_subsample = query_subsample
        self.split_noise = split_noise
        self.ranking_noise = ranking_noise
        self.init = init
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
