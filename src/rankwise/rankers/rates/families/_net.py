"""Nets: cross entropy by AdamW, then epochs on it and the soft counts together."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import DTypeLike
from torch import nn

from rankwise.errors import need_extra
from rankwise.objectives.rates._soft_counts import SoftCounts
from rankwise.rankers._persistence import read_tensors
from rankwise.rankers._score_functions._functions import NetFunction
from rankwise.rankers.nets._module import (
    layer_shapes,
    load_weights,
    make_module,
    module_arrays,
    module_row_scores,
    module_scores,
    threads_worth,
)
from rankwise.rankers.nets._score_function import net_function
from rankwise.rankers.rates._report import Report
from rankwise.rankers.rates._rows import RowMatrix, Rows, Split
from rankwise.rankers.rates.families._base import Scorer, log_losses, score_unit
from rankwise.types import FloatArray, JsonObject

if TYPE_CHECKING:
    from rankwise.rankers.rates._classifier import RateClassifier

GAMMA = 2.0  # soft counts against cross entropy
TUNING_EPOCHS, TUNING_RATE = 12, 5e-4
TUNING_SHARE = 0.25  # of the epochs of the baseline, at most
POINTS_EPOCHS = 3  # after which operating points are found anew, the first time to see if training responds
WIDTH = 1.0  # of the sigmoids, in units of the scores
WEIGHT_DECAY = 1e-4
EARLY_STOPPING_EPOCHS = 12


class Shifted(nn.Module):
    """A net and an intercept, which ranking nets do without."""

    def __init__(self, module: nn.Module, intercept: float) -> None:
        super().__init__()
        self.module = module
        self.intercept = nn.Parameter(torch.tensor([intercept]))

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """A score for each row."""
        return module_scores(self.module, X) + self.intercept


@dataclass(frozen=True, eq=False)
class NetScorer:
    """A net on standardized features; `epochs` are those it was trained for, its last one or not."""

    module: nn.Module
    epochs: int = 0

    def scores(self, X: RowMatrix) -> FloatArray:
        """Log-odds."""
        return module_row_scores(self.module, np.asarray(X), "cpu")

    def finished(self) -> NetScorer:
        """Itself."""
        return self

    def to_saved(self, name: str) -> tuple[JsonObject, dict[str, bytes]]:
        """Weights and intercept."""
        need_extra("safetensors", extra="torch")
        from safetensors.numpy import save

        return {}, {f"{name}.safetensors": bytes(save(module_arrays(self.module)))}

    def to_score_function(self, model: RateClassifier, constant: float) -> NetFunction:
        """The layers of the net."""
        assert model.standardizer_ is not None
        user_module = None if isinstance(model.model, str) else model.model
        return net_function(model, self.module, model.activation, model.standardizer_, user_module, constant)


@dataclass(frozen=True)
class NetFamily:
    """`parameters` describe the net as those of LambdaRank do; epochs are chosen by the log loss of held-out rows."""

    parameters: JsonObject
    epochs: int
    learning_rate: float
    batch_rows: int
    seed: int

    @property
    def max_rounds(self) -> int:
        """A round is an epoch."""
        return self.epochs + self._tuning_epochs(self.epochs)

    @property
    def why_plain(self) -> str | None:
        """Whether it pays to train a net for a point is seen while it is trained."""
        return None

    def fit_baselines(
        self, rows: Rows, splits: list[Split], *, refit: bool, report: Report | None = None
    ) -> list[Scorer]:
        """Cross entropy; on all rows, as many epochs as were best for the splits in the median."""
        report = report or Report()
        scorers: list[Scorer] = []
        best_epochs = []
        for train, others in splits:
            with _seeded(self.seed):
                scorer, epochs = self._fit_cross_entropy(rows.take(train), rows.take(others), self.epochs, report)
            if epochs:
                scorers.append(scorer)
                best_epochs.append(epochs)
            if report.interrupted:
                return scorers
        if refit:
            epochs = int(np.median(best_epochs)) if best_epochs else self.epochs
            with _seeded(self.seed):
                scorer, epochs = self._fit_cross_entropy(rows, None, epochs, report)
            if epochs and not (splits and report.interrupted):
                scorers.append(scorer)
        return scorers

    def _fit_cross_entropy(
        self, rows: Rows, held_out: Rows | None, epochs: int, report: Report
    ) -> tuple[NetScorer, int]:
        """The net of the best epoch for held-out rows, and its number; without such rows that of the last epoch."""
        module: nn.Module = Shifted(make_module(self.parameters, rows.X.shape[1]), rows.log_odds)
        optimizer = torch.optim.AdamW(module.parameters(), lr=self.learning_rate, weight_decay=WEIGHT_DECAY)
        lowest, best, best_epochs, epoch = np.inf, module, 0, 0
        with report.until_interrupted():
            for epoch in range(1, epochs + 1):
                module.train()
                with threads_worth(module, self.batch_rows):
                    for X, positive, weight in _batches(rows, self.batch_rows, self.seed, epoch - 1):
                        optimizer.zero_grad(set_to_none=True)
                        (weight * _cross_entropy(module(X), positive)).mean().backward()  # type: ignore[no-untyped-call]
                        optimizer.step()
                if held_out is None:
                    best_epochs = epoch
                    report.round()
                    continue
                losses = log_losses(NetScorer(module).scores(held_out.X), held_out.positive)
                loss = float(held_out.weight @ losses / held_out.weight.sum())
                if loss < lowest:
                    lowest, best, best_epochs = loss, copy.deepcopy(module), epoch
                report.round(loss)
                if epoch - best_epochs >= EARLY_STOPPING_EPOCHS:
                    break
        return NetScorer(best.eval(), epoch), best_epochs

    def _tuning_epochs(self, epochs: int) -> int:
        return min(TUNING_EPOCHS, math.ceil(TUNING_SHARE * epochs))

    def tune(self, baseline: Scorer, rows: Rows, soft: SoftCounts, report: Report) -> Scorer | None:
        """Epochs more on cross entropy and soft counts together; None if the first ones do not help rows trained on."""
        assert isinstance(baseline, NetScorer)
        module = copy.deepcopy(baseline.module)
        first_scores = baseline.scores(rows.X)
        unit = score_unit(first_scores, rows.positive)
        points = soft.points(first_scores, WIDTH * unit)
        thresholds = nn.Parameter(torch.tensor(points.thresholds, dtype=torch.float32))
        groups = [
            {"params": module.parameters(), "lr": TUNING_RATE, "weight_decay": WEIGHT_DECAY},
            {"params": [thresholds], "lr": 2.0 * TUNING_RATE * unit, "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups)
        scale = float(rows.weight.sum()) / rows.positive_weight  # a mean over positives, as for linear models
        module.train()
        with _seeded(self.seed), report.until_interrupted():
            for epoch in range(self._tuning_epochs(baseline.epochs)):
                if epoch and epoch % POINTS_EPOCHS == 0:
                    scores = NetScorer(module).scores(rows.X)
                    if epoch == POINTS_EPOCHS and soft.value(scores) <= soft.value(first_scores):
                        return None
                    points = soft.points(scores, WIDTH * unit)
                    with torch.no_grad():
                        thresholds.copy_(torch.tensor(points.thresholds))
                with threads_worth(module, 2 * self.batch_rows):
                    for X, positive, weight in _batches(rows, 2 * self.batch_rows, self.seed, epoch):
                        optimizer.zero_grad(set_to_none=True)
                        scores = module(X)
                        loss = _cross_entropy(scores, positive) + GAMMA * points.of_tensors(
                            scores, positive, thresholds
                        )
                        (scale * (weight * loss).mean()).backward()  # type: ignore[no-untyped-call]
                        optimizer.step()
                report.round()
        return NetScorer(module.eval())

    def member_names(self, fields: object, name: str) -> list[str]:
        """The weights."""
        return [f"{name}.safetensors"]

    def read_scorer(self, fields: object, members: list[bytes], n_features: int) -> Scorer:
        """The net that the parameters describe, with these weights."""
        need_extra("safetensors", extra="torch")
        layers = layer_shapes(n_features, self.parameters["hidden"])
        expected: dict[str, tuple[DTypeLike, tuple[int, ...]]] = {
            **{f"module.{name}": (np.float32, shape) for name, shape in layers.items()},
            "intercept": (np.float32, (1,)),
        }
        arrays = read_tensors(members[0], expected)
        module = Shifted(make_module(self.parameters, n_features), 0.0)
        load_weights(module, arrays)
        return NetScorer(module.eval())


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """First weights and dropout follow from the seed; the caller's random numbers go on as if nothing had been."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield


def _cross_entropy(scores: torch.Tensor, positive: torch.Tensor) -> torch.Tensor:
    return nn.functional.softplus(torch.where(positive, -scores, scores))


def _batches(rows: Rows, size: int, seed: int, epoch: int) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Rows in an order that the epoch draws; weights have a mean of 1 over all rows."""
    order = np.random.default_rng([seed, epoch]).permutation(rows.positive.size)
    X, weight = np.asarray(rows.X), (rows.weight / rows.weight.mean()).astype(np.float32)
    for start in range(0, order.size, size):
        batch = order[start : start + size]
        yield torch.from_numpy(X[batch]), torch.from_numpy(rows.positive[batch]), torch.from_numpy(weight[batch])
