"""Plain stochastic gradients, Eban 2017 (6) and lemma 4.2: on linear models the averages of the iterates come to what
a linear program finds, at the default rates of thresholds and multipliers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from rankwise.losses import RateLoss
from rankwise.objectives import SaddlePoint
from tests.reference.rate_programs import (
    precision_at_recall_program,
    recall_at_precision_program,
    tpr_at_fpr_program,
)


def made(n=300, gap=3.0, share=0.3, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(float)
    X = rng.normal(size=(n, 3))
    X[:, 0] += gap * y
    return X, y


def averaged(name, X, y, steps, batch, rate=0.05):
    """Net and loss after so many steps of length rate/√t, averaged over the second half of them."""
    loss = RateLoss(name, surrogate="hinge", anchors=3, share=y.mean()).double()
    net = nn.Linear(3, 1, bias=False).double()
    nn.init.zeros_(net.weight)
    both = nn.ModuleDict({"net": net, "loss": loss})
    rows, labels, random = torch.tensor(X), torch.tensor(y), torch.Generator().manual_seed(0)
    loss.start(net(rows)[:, 0], labels)
    average = AveragedModel(both)
    optimizer = torch.optim.SGD(both.parameters(), lr=rate)
    slower = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda t: (1.0 + t / 100) ** -0.5)
    highest = 0.0
    for step in range(steps):
        some = torch.randint(len(y), (batch,), generator=random)
        optimizer.zero_grad()
        loss(net(rows[some])[:, 0], labels[some]).backward()
        optimizer.step()
        slower.step()
        highest = max(highest, loss.multipliers.max())
        if step >= steps // 2:
            average.update_parameters(both)
    module: Any = average.module
    saddle = SaddlePoint(loss.objective, y)
    saddle.thresholds, saddle.levels = module["loss"].thresholds[0], module["loss"].levels[0].numpy()
    at = saddle.gradients(module["net"](rows)[:, 0].detach().numpy())
    return at, module["loss"], highest


PROGRAMS = {
    "r@p=0.8": lambda X, y: recall_at_precision_program(X, y, [0.8]),
    "r@p=0.95": lambda X, y: recall_at_precision_program(X, y, [0.95]),
    "p@r=0.7": lambda X, y: precision_at_recall_program(X, y, 0.7),
    "tpr@fpr=0.1": lambda X, y: tpr_at_fpr_program(X, y, [0.1]),
    "aucpr": lambda X, y: recall_at_precision_program(X, y, y.mean() + (1 - y.mean()) * (np.arange(3) + 0.5) / 3),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_averages_reach_the_program(name) -> None:
    """The Lagrangian at the averages is the optimum; the excess that is left is small beside its counts."""
    X, y = made(gap=4.0 if name == "r@p=0.95" else 3.0)
    best = PROGRAMS[name](X, y)
    at, loss, highest = averaged(name, X, y, steps=2000, batch=30)
    value = (at.costs + loss.multipliers[0] * at.excesses).mean()
    assert value == pytest.approx(best, abs=0.06 if name == "aucpr" else 0.03)
    assert (at.excesses * loss.units[0].numpy()).max() < 0.03
    assert highest < 10.0  # of at most 100, where steps that are too long end


def test_an_excess_weighs_as_much_as_the_cost_in_units_of_multipliers() -> None:
    """Of a precision of 0.95 with nine negatives per positive: 19 · 9 + 1 times less; of a recall, nine times more."""
    y = torch.tensor([1.0] * 10 + [0.0] * 90)
    for name, unit in (("r@p=0.95", 1 / 172), ("p@r=0.7", 9.0), ("tpr@fpr=0.1", 0.1), ("f1", 9.0)):
        loss = RateLoss(name).start(torch.linspace(-1.0, 1.0, 100), y)
        assert loss.units.numpy() == pytest.approx(unit, rel=1e-5)
