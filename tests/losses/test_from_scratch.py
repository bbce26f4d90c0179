"""Every rate loss trains a small net from random weights, at its defaults and by the hinge as printed."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import rankwise as rw
from rankwise.losses import (
    AUCPRLoss,
    AUCROCLoss,
    FBetaLoss,
    PrecisionAtRecallLoss,
    RecallAtPrecisionLoss,
    TPRAtFPRLoss,
)

LOSSES = {
    "r@p=0.95": lambda **options: RecallAtPrecisionLoss(0.95, **options),
    "r@p=0.7": lambda **options: RecallAtPrecisionLoss(0.7, **options),
    "p@r=0.7": lambda **options: PrecisionAtRecallLoss(0.7, **options),
    "p@r=0.95": lambda **options: PrecisionAtRecallLoss(0.95, **options),
    "tpr@fpr=0.1": lambda **options: TPRAtFPRLoss(0.1, **options),
    "f1": lambda **options: FBetaLoss(1.0, **options),
    "aucpr": lambda **options: AUCPRLoss(**options),
    "auc": lambda **options: AUCROCLoss(**options),
}


def rings(n, seed):
    """Positives, a tenth, lie in a ring that no line divides from the others; some labels are wrong."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    radius = np.where(y, 1.0, 2.2) + 0.25 * rng.normal(size=n)
    angle = 2 * np.pi * rng.random(n)
    X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return torch.tensor(X, dtype=torch.float32), torch.tensor(y ^ (rng.random(n) < 0.01)).float()


@pytest.mark.parametrize("surrogate", ["log2", "hinge"])
@pytest.mark.parametrize("name", LOSSES)
def test_a_net_learns_from_random_weights(name, surrogate) -> None:
    """In 300 steps; a ranking by chance has an AUCPR of 0.1, and no class is given up."""
    X, y = rings(2000, 0)
    torch.manual_seed(0)
    net, loss = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1)), LOSSES[name](surrogate=surrogate)
    optimizer = torch.optim.AdamW([*net.parameters(), *loss.parameters()], lr=1e-2)
    for some in torch.randint(len(y), (300, 100)):
        optimizer.zero_grad()
        loss(net(X[some])[:, 0], y[some]).backward()
        optimizer.step()
    test, truth = rings(2000, 1)
    scores = net(test)[:, 0].detach().numpy()
    values = rw.evaluate(truth.numpy(), scores, metrics=["aucpr", "auc"])
    assert values["aucpr"] > 0.6
    assert values["auc"] > 0.9


def test_the_bound_of_the_log_loss_is_the_default() -> None:
    assert all(str(loss().surrogate) == "log2" for loss in LOSSES.values())
