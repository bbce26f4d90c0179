"""Nets that train in a moment, on the data of `made`."""

from __future__ import annotations

from typing import Any

from rankwise.rankers import LambdaRank, RankNet
from tests.rankers.factories import EVAL_SET, TRAIN

SMALL: dict[str, Any] = {"epochs": 8, "batch_queries": 10, "random_state": 0}


def fitted(cls: type = LambdaRank, metric: str = "ndcg@10", judged: bool = True, **parameters: Any) -> Any:
    """A net, fitted; what `fit` takes is told from parameters by name."""
    of_fit: dict[str, Any] = {
        name: parameters.pop(name) for name in ("callbacks", "checkpoint", "resume") if name in parameters
    }
    model = cls(metric, **SMALL | parameters)
    return model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET if judged else None, **of_fit)


KINDS = [LambdaRank, RankNet]
