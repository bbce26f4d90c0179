"""A worker that is killed in training: one sentence, a checkpoint, and the same model when it is resumed."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import WorkerLostError
from tests.rankers.distributed.made import ALL, EVAL_SET, SMALL, TRAIN


def test_a_killed_worker_and_a_resumed_training(client, tmp_path):
    workers = client.run(os.getpid)

    def kill(number: int, values: dict[str, float]) -> None:
        if number == 3:
            os.kill(next(iter(workers.values())), signal.SIGKILL)

    given = {"qid": TRAIN.qid, "eval_set": EVAL_SET}
    model = rw.LambdaMART("ndcg@5", **SMALL)
    with pytest.raises(WorkerLostError, match=r"died after 3 rounds, which are in .*resume=True") as caught:
        model.fit(TRAIN.X, TRAIN.y, callbacks=[kill], client=client, **given)
    assert "\n" not in str(caught.value)
    client.wait_for_workers(2, timeout=120)  # its nanny starts another
    saved = str(caught.value).split("checkpoint='")[1].split("'")[0]
    model.fit(TRAIN.X, TRAIN.y, checkpoint=saved, resume=True, client=client, **given)
    one = rw.LambdaMART("ndcg@5", **SMALL).fit(TRAIN.X, TRAIN.y, **given)
    assert np.allclose(model.predict(ALL.X), one.predict(ALL.X), atol=1e-12)
    assert model.evals_result_["valid_0"]["ndcg@5"] == pytest.approx(one.evals_result_["valid_0"]["ndcg@5"])
