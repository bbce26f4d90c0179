"""LambdaRank: a net on the λ-gradients of any metric (Burges 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from rankwise.metrics import Metric
from rankwise.objectives.lambdas._objective import Norm
from rankwise.rankers._parameters import NONE, Constraint, OneOf
from rankwise.rankers.nets._base import NetRanker
from rankwise.rankers.nets._objectives import Descent, LambdaDescent
from rankwise.rankers.nets._plan import NetPlan


class LambdaRank(NetRanker):
    """A net that learns to rank by the metric it is judged by; needs the extra `torch`.

    `metric` is any metric of rankwise, by text or by value: the net descends its λ-gradients, `score` is its value, and
    with an `eval_set` the epoch that is best on it is kept. Labels may be any finite numbers (below 0: not judged),
    queries of any length, rows in any order; every feature must be known.

    - `hidden`: widths of the hidden layers; () is a linear model. `activation`: "relu" or "tanh".
    - `standardize`: subtract each feature's mean and divide by its deviation; both become part of the model.
    - `optimizer`: "adamw", its rate falling along a cosine to 0 at the last epoch; or "p2", the rules of the paper:
      gradient descent query by query, the rate × 0.8 when the training metric falls, new random weights after 50
      epochs without progress.
    - `learning_rate`, `weight_decay`, `dropout` (of hidden values), `epochs`: as usual.
    - `batch_queries`: whole queries in a batch; None: as many as have about 500 rows (one for "p2").
    - `early_stopping_rounds`: with an `eval_set`, epochs without a better value before training ends; None: never.
    - `norm`: "gap" divides |ΔM| of a pair by 0.01 plus the difference of its scores; None leaves it as in the paper.
    - `sigma`: steepness of the pairs' logistic cost.
    - `torch_module`: your own net, from rows × features to scores, instead of `hidden`, `activation` and `dropout`. It
      is copied, and trained from the weights it has. Such a model cannot be saved by `rankwise.save`.
    - `device`: where the net is, as torch names it. `random_state`: a number makes the same data give the same net on
      the same machine. `verbose`: log the metric every so many epochs.

    >>> import rankwise.data
    >>> made = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = LambdaRank("ndcg@5", epochs=20, random_state=0).fit(made.X, made.y, qid=made.qid)
    >>> model.score(made.X, made.y, qid=made.qid) > 0.5
    True
    """

    kind: ClassVar[str] = "lambdarank"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **NetRanker._parameter_constraints,
        "norm": [OneOf("gap"), NONE],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        hidden: Sequence[int] = (10,),
        activation: Literal["relu", "tanh"] = "relu",
        standardize: bool = True,
        optimizer: Literal["adamw", "p2"] = "adamw",
        learning_rate: float = 0.01,
        weight_decay: float = 0.01,
        dropout: float = 0.0,
        epochs: int = 100,
        batch_queries: int | None = None,
        early_stopping_rounds: int | None = 20,
        norm: Norm | None = None,
        sigma: float = 1.0,
        torch_module: Any = None,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.hidden = hidden
        self.activation = activation
        self.standardize = standardize
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.epochs = epochs
        self.batch_queries = batch_queries
        self.early_stopping_rounds = early_stopping_rounds
        self.norm = norm
        self.sigma = sigma
        self.torch_module = torch_module
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _descent(self, plan: NetPlan) -> Descent:
        labels = np.maximum(plan.y, 0.0)  # what a metric takes from all data is not a batch's to say
        judged, descended = (metric.for_labels(labels) for metric in (plan.metric, plan.metric.for_training()))
        return LambdaDescent(judged, descended, self.norm, float(self.sigma), plan.seed)
