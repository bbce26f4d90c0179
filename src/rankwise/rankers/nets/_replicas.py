"""Training in several processes, as `torchrun` starts them: whole queries for each, one sum of gradients per batch.

Every process has all data and takes its share of each batch. All start from the same weights and add up the same
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


class Replicas:
    """This process among those that train one net."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size

    def share(self, queries: IntArray, offsets: IntArray) -> IntArray:
        """The queries of a batch for this process: as even in rows as whole queries allow."""
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
        weights = [tensor for tensor in module.parameters() if tensor.requires_grad]
        gradients = [torch.zeros_like(tensor) if tensor.grad is None else tensor.grad for tensor in weights]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        for tensor, total in zip(weights, torch.split(flat, [tensor.numel() for tensor in weights]), strict=True):
            tensor.grad = total.view_as(tensor)

    def broadcast(self, values: list[float]) -> list[float]:
        """The values of the first process, so that all decide alike."""
        if self.size == 1:
            return values
        shared = torch.tensor(values, dtype=torch.float64)
        dist.broadcast(shared, src=0)
        return [float(value) for value in shared]


def current_replicas() -> Replicas:
    """The group that `torchrun` or the caller has set up; outside of these, this process alone.

    A group that is set up here stays until the process ends: to leave it and join again is a race in torch, whose
    store still has the addresses of the first.
    """
    if not dist.is_available():
        return Replicas(0, 1)
    if not dist.is_initialized():
        if not dist.is_torchelastic_launched() or os.environ.get("WORLD_SIZE") == "1":
            return Replicas(0, 1)
        dist.init_process_group("gloo")
        atexit.register(dist.destroy_process_group)
    return Replicas(dist.get_rank(), dist.get_world_size())
