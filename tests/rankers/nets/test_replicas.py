"""`torchrun` trains one net in two real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.rankers.nets._replicas import Replicas
from tests.rankers.factories import VALID
from tests.rankers.nets.factories import fitted

pytestmark = pytest.mark.slow

SCRIPT = """
import json, os, sys
from pathlib import Path
from rankwise.rankers import _checkpoint as checkpoint
from rankwise.rankers.nets import _objectives
from tests.rankers.factories import VALID
from tests.rankers.nets.factories import fitted

checkpoint.CHECKPOINT_SECONDS, checkpoint.MAX_IO_SHARE = 0.0, 1e9
rows = []
bind = _objectives.LambdaPairObjective.bind

def counted(self, y, query, weight):
    rows.append(len(y))
    return bind(self, y, query, weight)

_objectives.LambdaPairObjective.bind = counted
folder, options = Path(sys.argv[1]), json.loads(sys.argv[2])
model = fitted(**options, checkpoint=folder / "run.npz")
said = {"scores": model.predict(VALID.X).tolist(), "rows": sum(rows), "best": model.best_iteration_}
said["unseeded"] = fitted(random_state=None, dropout=0.2, epochs=3).predict(VALID.X).tolist()
(folder / f"{os.environ['RANK']}.json").write_text(json.dumps(said))
"""


def torchrun(folder: Path, **options: object) -> list[dict]:
    script = folder / "script.py"
    script.write_text(SCRIPT)
    root = Path(__file__).parents[3]
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    process = subprocess.Popen(
        [*launch, str(script), str(folder), json.dumps(options)], cwd=root, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": f"{root}:{root / 'src'}"},
    )  # fmt: skip
    try:
        _, said = process.communicate(timeout=300)
    finally:
        process.terminate()  # it ends its own processes, too
        process.wait(60)
    assert process.returncode == 0, said
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


def test_two_processes_train_the_net_of_one(tmp_path) -> None:
    options: dict[str, Any] = {"epochs": 15, "early_stopping_rounds": 10, "random_state": 3}
    first, second = torchrun(tmp_path, **options)
    alone = fitted(**options)
    assert first["scores"] == second["scores"]
    assert first["best"] == second["best"]
    assert first["unseeded"] == second["unseeded"]  # both took what one of them drew
    epochs = len(alone.evals_result_["valid_0"]["ndcg@10"])
    assert first["rows"] + second["rows"] == 800 * epochs
    assert first["rows"] == second["rows"]
    found = rw.evaluate(VALID.y, first["scores"], VALID.qid, "ndcg@10")
    low, high = found.interval("ndcg@10")
    assert low <= alone.best_score_ <= high
    assert first["scores"] == pytest.approx(alone.predict(VALID.X).tolist(), abs=0.01)


def test_whole_queries_are_shared_out_by_their_rows() -> None:
    offsets = np.array([0, 10, 20, 120, 130, 140])
    queries = np.arange(5)
    parts = [Replicas(rank, 2).share(queries, offsets) for rank in range(2)]
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3, 4]]
    assert [Replicas(rank, 3).share(queries[:1], offsets).size for rank in range(3)].count(1) == 1
    assert Replicas(0, 1).share(queries, offsets) is queries
