"""The loop over epochs and batches of whole queries.

An epoch depends on the weights, the optimizer's numbers, the plan and the epoch's number, and on nothing else: all that
is drawn at random follows from numbers. So a run that is killed and resumed ends with the same net, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from rankwise.errors import DataError
from rankwise.rankers.nets._module import make_module, module_row_scores, module_scores, new_weights, threads_worth
from rankwise.rankers.nets._objectives import Descent, Gradient
from rankwise.rankers.nets._plan import NetPlan
from rankwise.rankers.nets._replicas import Ranks
from rankwise.rankers.nets._state import Arrays, NetState
from rankwise.types import FloatArray

PIECE = 4096  # rows that go through the net at a time, so that what they leave for the way back stays near the core
GRAPH = 2**28  # numbers that the graphs of a batch may hold; pieces beyond go through the net once more
MOST_KEPT = 20_000  # batches whose labels are kept as the λ's need them
SLOWER, PATIENCE = 0.8, 50  # Burges 2006 section 6.3

Report = Callable[[NetState, Callable[[], NetState]], None]


class NetTraining:
    """A net on its way through the epochs of a plan."""

    def __init__(self, plan: NetPlan, descent: Descent, state: NetState | None, ranks: Ranks) -> None:
        self.plan, self.descent, self.ranks = plan, descent, ranks
        given = plan.parameters
        self.p2, self.device = given["optimizer"] == "p2", str(given["device"])
        _seed(plan.seed, 0, 0)
        self.module = make_module(given, plan.X.shape[1]).to(self.device, torch.float32)
        self.optimizer = self._optimizer()
        self.state = NetState(float(given["learning_rate"])) if state is None else state
        if state is not None:
            self._restore(state)
        self.known: dict[bytes, Gradient] = {}
        outputs = sum(parameter.shape[0] for parameter in self.module.parameters() if parameter.ndim > 1)
        self.kept_pieces = GRAPH // (PIECE * max(outputs, 1))

    def _optimizer(self) -> torch.optim.Optimizer:
        given = self.plan.parameters
        kind: Any = torch.optim.SGD if self.p2 else torch.optim.AdamW
        return kind(  # type: ignore[no-any-return]
            self.module.parameters(), lr=float(given["learning_rate"]), weight_decay=float(given["weight_decay"])
        )

    def run(self, report: Report) -> None:
        """Go on to the last epoch, or until the metric no longer rises; `report` is called after each epoch."""
        state, patience = self.state, self.plan.patience
        while state.epochs < self.plan.parameters["epochs"]:
            if patience is not None and state.epochs - state.best_epoch() >= patience:
                break
            with threads_worth(self.module, len(self.plan.X) * self.plan.batch_queries / (self.plan.offsets.size - 1)):
                self._epoch(state.epochs)
            scores = [_finite(module_row_scores(self.module, one.X, self.device)) for one in self.plan.judged]
            values = [one.value(self.plan.metric, its) for one, its in zip(self.plan.judged, scores, strict=True)]
            values, weights = self.ranks.same(values), self._weights()
            state.values.append(values)
            if state.best_epoch() == state.epochs:
                state.best = weights
            if self.p2:
                self._slow_down_or_restart()
            report(state, self.present)

    def _epoch(self, epoch: int) -> None:
        batches = list(self.plan.batches(epoch))
        self.module.train()
        for number, queries in enumerate(batches):
            for group in self.optimizer.param_groups:
                group["lr"] = self._rate(epoch + number / len(batches))
            self.optimizer.zero_grad(set_to_none=True)
            mine = self.ranks.share(queries, self.plan.offsets)
            if mine.size:
                # λ's of different queries add up; a mean over queries makes the step the same for any size of batch.
                self._descend(mine, 1.0 if self.p2 else 1.0 / queries.size, (epoch, number))
            self.ranks.add_gradients(self.module)
            self.optimizer.step()

    def _rate(self, at: float) -> float:
        """Burges 2006's rule has its own rate; AdamW's falls along a cosine."""
        if self.p2:
            return self.state.rate
        return self.state.rate * 0.5 * (1.0 + math.cos(math.pi * at / self.plan.parameters["epochs"]))

    def _descend(self, queries: Any, scale: float, draw: tuple[int, int]) -> None:
        """All pieces forward, the λ's of all documents, all pieces backward with them (Burges 2006 section 4, V2)."""
        rows, query = self.plan.rows_of(queries)
        descend = self._gradient_of(queries, rows, query)

        pieces = list(torch.split(torch.from_numpy(self.plan.X[rows]), PIECE))
        scores = []
        for number, piece in enumerate(pieces):
            with torch.set_grad_enabled(number < self.kept_pieces):
                scores.append(self._scores(piece, *draw, number))
        values = _finite(torch.cat([one.detach() for one in scores]).double().cpu().numpy())
        pushes = torch.split(torch.from_numpy(scale * descend(values)), PIECE)
        for number, (piece, push) in enumerate(zip(pieces, pushes, strict=True)):
            one = scores[number] if number < self.kept_pieces else self._scores(piece, *draw, number)
            one.backward(push.to(one))  # type: ignore[no-untyped-call]
            scores[number] = push  # lets go of the graph

    def _scores(self, piece: torch.Tensor, *draw: int) -> torch.Tensor:
        _seed(self.plan.seed, *draw)  # dropout drops the same if a piece goes through the net again
        return module_scores(self.module, piece.to(self.device))

    def _gradient_of(self, queries: Any, rows: Any, query: Any) -> Gradient:
        """From scores to gradient; kept where the same batch comes in every epoch."""
        plan, key = self.plan, queries.tobytes()
        if key in self.known:
            return self.known[key]
        made = self.descent.gradient_of(plan.y[rows], query, None if plan.weight is None else plan.weight[rows])
        same_always = plan.batch_queries == 1 or plan.batch_queries >= plan.offsets.size - 1
        if same_always and len(self.known) < MOST_KEPT:
            self.known[key] = made
        return made

    def _slow_down_or_restart(self) -> None:
        """Burges 2006 section 6.3: rate × 0.8 when the cost rises; random weights when it has not fallen for 50
        epochs."""
        plan, state = self.plan, self.state
        scores = _finite(module_row_scores(self.module, plan.X, self.device))
        query = np.repeat(np.arange(plan.offsets.size - 1), np.diff(plan.offsets))
        cost = self.ranks.same([self.descent.cost(scores, plan.y, query, plan.weight)])[0]
        since = state.restarts[-1] if state.restarts else 0
        costs = state.costs[since:]
        state.costs.append(cost)
        if costs and cost > costs[-1]:
            state.rate *= SLOWER
        if len(costs) - int(np.argmin([*costs, cost])) >= PATIENCE:
            state.restarts.append(len(state.costs))
            state.rate = float(plan.parameters["learning_rate"])
            _seed(plan.seed, len(state.costs), 0)
            new_weights(self.module)

    def _weights(self) -> Arrays:
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.module.state_dict().items()}

    def present(self) -> NetState:
        """The state with the weights and the optimizer's numbers as they are now."""
        self.state.weights = self._weights()
        self.state.memory = {
            f"{number}.{name}": tensor.detach().cpu().numpy().copy()
            for number, entries in self.optimizer.state_dict()["state"].items()
            for name, tensor in entries.items()
            if isinstance(tensor, torch.Tensor)
        }
        return self.state

    def best_module(self) -> nn.Module:
        """The net of the best epoch."""
        load_weights(self.module, self.state.best)
        return self.module.eval()

    def _restore(self, state: NetState) -> None:
        load_weights(self.module, state.weights)
        found: dict[int, dict[str, torch.Tensor]] = {}
        for key, array in state.memory.items():
            number, _, name = key.partition(".")
            found.setdefault(int(number), {})[name] = torch.from_numpy(array)
        self.optimizer.load_state_dict(self.optimizer.state_dict() | {"state": found})


def _finite(scores: FloatArray) -> FloatArray:
    if not np.isfinite(scores).all():
        raise DataError("the net's scores are no longer finite; lower learning_rate or standardize the features")
    return scores


def load_weights(module: nn.Module, weights: Arrays) -> None:
    """Put these weights into a net."""
    module.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})


def _seed(seed: int, epoch: int, batch: int, piece: int = 0) -> None:
    """Torch's random numbers follow from these four."""
    drawn = int(np.random.SeedSequence([seed, epoch, batch, piece]).generate_state(1, np.uint64)[0]) >> 1
    torch.default_generator.manual_seed(drawn)  # torch.manual_seed takes a millisecond to look for other devices
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(drawn)
