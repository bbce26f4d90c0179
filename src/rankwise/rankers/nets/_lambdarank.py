"""LambdaRank: a net on the λ-gradients of any metric (Burges 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise.metrics import Metric
from rankwise.objectives.lambdas._objective import Norm
from rankwise.objectives.lambdas._surrogates import Surrogate, surrogate_metric
from rankwise.rankers._parameters import METRIC, NONE, TEXT, Constraint, OneOf
from rankwise.rankers.nets._base import NetRanker
from rankwise.rankers.nets._objectives import LambdaPairObjective, PairObjective
from rankwise.rankers.nets._plan import NetPlan

if TYPE_CHECKING:
    from torch import nn


@inherit_sections(NetRanker)
class LambdaRank(NetRanker):
    """A net that learns to rank by the metric it is evaluated by; needs the extra `torch`.

    The net descends the λ-gradients of the metric, `score` is the metric's value, and with an `eval_set` the epoch that
    is best on it is kept. Labels may be any finite numbers (below 0: not judged), queries of any length, rows in any
    order; every feature must be known.

    Parameters
    ----------
    {...}
    norm : {"gap"} or None, default=None
        "gap" divides |ΔM| of a pair by 0.01 plus the difference of its scores; None leaves it as in the paper.
    surrogate : {"auto", "swap"} or metric, default="auto"
        Whose λ's are descended: "auto" is what `Metric.for_training` names, "swap" the change of the metric itself when
        two documents change places, as in the paper, and a metric that of another one.

    See Also
    --------
    RankNet : A net on the cross entropy of all pairs.
    LambdaMART : Trees on the same gradients.
    rankwise.losses.LambdaLoss : The same gradients for your own net and loop.

    Notes
    -----
    The gradient of the cost by the score of a document is Burges 2006 (9): the sum over its pairs of
    ±σ |ΔM| / (1 + exp(σ(s_i − s_j))), |ΔM| being the change of the metric when the two exchange places.

    Examples
    --------
    >>> import rankwise.data
    >>> data = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = LambdaRank("ndcg@5", epochs=20, random_state=0).fit(data)
    >>> model.score(data) > 0.5
    True
    """

    kind: ClassVar[str] = "lambdarank"
    _parameter_constraints: ClassVar[dict[str, list[Constraint]]] = {
        **NetRanker._parameter_constraints,
        "norm": [OneOf("gap"), NONE],
        "surrogate": [TEXT, METRIC],
    }

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        hidden: Sequence[int] = (10,),
        activation: Literal["relu", "tanh"] = "relu",
        standardize: bool = True,
        optimizer: Literal["adamw", "burges2006"] = "adamw",
        learning_rate: float = 0.01,
        weight_decay: float = 0.01,
        dropout: float = 0.0,
        epochs: int = 100,
        batch_queries: int | None = None,
        early_stopping_rounds: int | None = 20,
        sigma: float = 1.0,
        torch_module: nn.Module | None = None,
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        norm: Norm | None = None,
        surrogate: Surrogate = "auto",
    ) -> None:
        super().__init__(
            metric,
            hidden=hidden,
            activation=activation,
            standardize=standardize,
            optimizer=optimizer,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            dropout=dropout,
            epochs=epochs,
            batch_queries=batch_queries,
            early_stopping_rounds=early_stopping_rounds,
            sigma=sigma,
            torch_module=torch_module,
            device=device,
            random_state=random_state,
            verbose=verbose,
        )
        self.norm = norm
        self.surrogate = surrogate

    def _pair_objective(self, plan: NetPlan) -> PairObjective:
        labels = np.maximum(plan.y, 0.0)  # what a metric takes from all data is not a batch's to say
        trained_metric = surrogate_metric(self.surrogate, plan.metric)
        metric, gradient_metric = (metric.for_labels(labels) for metric in (plan.metric, trained_metric))
        return LambdaPairObjective(metric, gradient_metric, self.norm, float(self.sigma), plan.seed)
