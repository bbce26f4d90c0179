"""A LambdaMART that is fitted in a moment."""

from __future__ import annotations

from rankwise.rankers import LambdaMART
from tests.rankers.factories import TRAIN


def fitted(metric="ndcg@10", data=TRAIN, eval_set=None, fit=None, **parameters):
    parameters = {"n_estimators": 8, "num_leaves": 7, "random_state": 0, "n_jobs": 1, **parameters}
    return LambdaMART(metric, **parameters).fit(data.X, data.y, qid=data.qid, eval_set=eval_set, **(fit or {}))
