"""Calls that `mypy --strict` must find wrong, each by the error that its line names."""

from __future__ import annotations

import rankwise as rw


def misuse(data: rw.RankingData) -> None:
    rw.evaluate([1, 0], [0.5, 0.1], ties="wrost")  # arg-type
    rw.evaluate([1, 0], [0.5, 0.1], metric="auc")  # call-arg
    rw.compare(data, [[0.5, 0.1]])  # arg-type
    rw.LambdaMART("ndcg@10", n_estimators="20")  # arg-type
    rw.LambdaMART().fit(data, valid=data)  # call-arg
    rw.save(data, "m.rw")  # arg-type
    rw.read(1)  # arg-type
    name: str = rw.evaluate(data, [0.1])["auc"]  # assignment
    print(name, rw.no_such_name)  # attr-defined
