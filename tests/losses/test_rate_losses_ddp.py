"""Rate losses under DistributedDataParallel: replicas with data of their own keep the same thresholds."""

from __future__ import annotations

import pytest
import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from rankwise.losses import AUCPRLoss
from tests.losses.test_rate_losses import made

pytestmark = pytest.mark.slow


class NetAndLoss(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net, self.loss = nn.Linear(3, 1), AUCPRLoss(3)

    def forward(self, x, y):
        return self.loss(self.net(x)[:, 0], y)


def replica(rank, folder) -> None:
    distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    torch.manual_seed(rank)
    both = DistributedDataParallel(NetAndLoss())
    steps = torch.optim.Adam(both.parameters(), lr=1e-2)
    X, y = made(seed=rank)
    y[: 150 * rank] = 0.0  # other shares too
    for i in range(5):
        steps.zero_grad()
        both(X[i::5].float(), y[i::5]).backward()
        steps.step()
    torch.save(both.module.state_dict(), f"{folder}/{rank}.pt")
    distributed.destroy_process_group()


def test_replicas_stay_alike(tmp_path) -> None:
    torch.multiprocessing.spawn(replica, (str(tmp_path),), nprocs=2)  # type: ignore[attr-defined]
    first, second = (torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in range(2))
    assert first["loss.started"].all()
    assert first["loss.raw"].any()
    for name in ("net.weight", "loss.raw", "loss.levels"):
        assert torch.equal(first[name], second[name])
