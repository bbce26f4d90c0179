"""Models that train in a moment, for tests of commands that need one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rankwise as rw
from rankwise.data import polynomial, write

# As --set takes them; one thread, because the tests share the machine.
SMALL: dict[str, Any] = {
    "n_estimators": 6, "num_leaves": 4, "min_child_samples": 5, "split_noise": 0.0, "surrogate": "ndcg@30", "n_jobs": 1,
}  # fmt: skip
SET = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]


def make_data() -> None:
    """train.txt and valid.txt in the present folder."""
    for name, queries, seed in (("train.txt", 20, 1), ("valid.txt", 10, 2)):
        write(polynomial(queries=queries, documents=15, features=4, seed=seed), name)


def make_model(path: str = "m.rw") -> rw.LambdaMART:
    """A model of train.txt in a file."""
    if not Path("train.txt").exists():
        make_data()
    data = rw.read("train.txt")
    model = rw.LambdaMART("ndcg@10", random_state=0, **SMALL).fit(data.X, data.y, qid=data.qid)
    rw.save(model, path)
    return model
