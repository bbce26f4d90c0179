"""RankNet: a net on the cross entropy of all pairs of documents (Burges 2006 section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from rankwise.metrics import Metric
from rankwise.rankers.nets._base import NetRanker
from rankwise.rankers.nets._objectives import Descent, RankNetDescent
from rankwise.rankers.nets._plan import NetPlan


class RankNet(NetRanker):
    """A net that learns which of two documents is the better one, for all pairs of a query; needs the extra `torch`.

    The cost is Burges 2006 (8), log(1 + exp(−σ(s_i − s_j))) over pairs with label_i > label_j, and takes time linear in
    the documents. `metric` plays no part in it: it is what `score` gives, and what the best epoch is chosen by with an
    `eval_set`. Labels may be any finite numbers (below 0: not judged), queries of any length, rows in any order; every
    feature must be known.

    Parameters are those of `LambdaRank`, without `norm`; under "p2" the rate falls when the cost rises.

    >>> import rankwise.data
    >>> made = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = RankNet("ndcg@5", epochs=20, random_state=0).fit(made.X, made.y, qid=made.qid)
    >>> model.score(made.X, made.y, qid=made.qid) > 0.5
    True
    """

    kind: ClassVar[str] = "ranknet"

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
        self.sigma = sigma
        self.torch_module = torch_module
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _descent(self, plan: NetPlan) -> Descent:
        return RankNetDescent(float(self.sigma))
