"""Training in several processes, as `torchrun` starts them: whole queries for each, one sum of gradients a batch.

Every process is given all data and takes its part of each batch. All start from the same weights and add up the same
gradients, so their nets stay equal; only the order in which numbers are added differs from one process.
"""

from __future__ import annotations

import atexit
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn

from rankwise.types import IntArray


class Ranks:
    """This process among those that train one net."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size

    def share(self, queries: IntArray, offsets: IntArray) -> IntArray:
        """The queries of a batch that are this process's own: as many rows for each as whole queries allow."""
        if self.size == 1:
            return queries
        rows = np.append(0, np.cumsum(offsets[queries + 1] - offsets[queries]))
        even = rows[-1] * np.arange(1, self.size) / self.size
        cuts = np.abs(rows[:, None] - even).argmin(axis=0)
        return np.split(queries, cuts)[self.rank]

    def add_gradients(self, module: nn.Module) -> None:
        """The sum over all processes takes the place of each one's gradient."""
        if self.size == 1:
            return
        parameters = [one for one in module.parameters() if one.requires_grad]
        for one in parameters:
            one.grad = torch.zeros_like(one) if one.grad is None else one.grad
        flat = torch.cat([one.grad.flatten() for one in parameters if one.grad is not None])
        dist.all_reduce(flat)
        for one, part in zip(parameters, torch.split(flat, [one.numel() for one in parameters]), strict=True):
            one.grad = part.view_as(one)

    def same(self, values: list[float]) -> list[float]:
        """What the first process found, so that all decide alike."""
        if self.size == 1:
            return values
        agreed = torch.tensor(values, dtype=torch.float64)
        dist.broadcast(agreed, src=0)
        return [float(value) for value in agreed]


def joined_ranks() -> Ranks:
    """The group that `torchrun` or the caller has set up; outside of these, this process alone.

    A group that is set up here stays until the process ends: to leave it and join again is a race in torch, whose
    store still has the addresses of the first.
    """
    if not dist.is_available():
        return Ranks(0, 1)
    if not dist.is_initialized():
        if not dist.is_torchelastic_launched() or os.environ.get("WORLD_SIZE") == "1":
            return Ranks(0, 1)
        dist.init_process_group("gloo")
        atexit.register(dist.destroy_process_group)
    return Ranks(dist.get_rank(), dist.get_world_size())
