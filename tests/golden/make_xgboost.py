"""Record what XGBoost's own metrics say, so that tests need not install it.

Run with `pip install xgboost-cpu==3.2.0 numpy` in an environment of its own: python tests/golden/make_xgboost.py
The scores enter as base margins of a booster without trees, so that XGBoost judges exactly these numbers.
"""

import json
from pathlib import Path

import numpy as np
import xgboost as xgb

METRICS = ["ndcg@1", "ndcg@3", "ndcg@10", "ndcg", "map@3", "map@10", "map", "pre@1", "pre@3", "pre@10"]


def example(seed: int, highest: int, ties: bool) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 20, 25)
    qid = np.repeat(np.arange(25), sizes)
    y = np.minimum(rng.poisson(0.4, qid.size), highest)
    y[qid % 7 == 3] = 0  # queries without a relevant document
    scores = rng.integers(0, 5, qid.size) / 4 if ties else rng.permutation(qid.size) / 64
    data = xgb.DMatrix(np.zeros((qid.size, 1)), label=y, qid=qid, base_margin=scores)
    objective = "rank:ndcg" if highest > 1 else "rank:map"
    names = METRICS if highest == 1 else [m for m in METRICS if m.startswith("ndcg")]
    booster = xgb.train({"objective": objective, "eval_metric": names, "base_score": 0.0}, data, num_boost_round=0)
    printed = booster.eval(data).split("\t")[1:]
    values = {part.split(":")[0].removeprefix("eval-"): float(part.split(":")[1]) for part in printed}
    return {"y": y.tolist(), "scores": scores.tolist(), "qid": qid.tolist(), "values": values}


if __name__ == "__main__":
    cases = [
        example(seed, highest, ties)
        for seed, (highest, ties) in enumerate([(4, False), (4, True), (1, False), (1, True)])
    ]
    record = {"xgboost": xgb.__version__, "made by": "tests/golden/make_xgboost.py", "cases": cases}
    Path(__file__).with_name("xgboost.json").write_text(json.dumps(record))
