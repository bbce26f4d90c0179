"""The loop over epochs and batches of whole queries.

An epoch depends on the weights, the optimizer's numbers, the plan and the epoch's number, and on nothing else: all that
is drawn at random follows from numbers. So a run that is killed and resumed ends with the same net, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from rankwise.errors import DataError
from rankwise.rankers.nets._module import (
    check_device,
    load_weights,
    make_module,
    module_arrays,
    module_row_scores,
    module_scores,
    new_weights,
    threads_worth,
)
from rankwise.rankers.nets._objectives import Gradient, PairObjective
from rankwise.rankers.nets._plan import NetPlan
from rankwise.rankers.nets._replicas import Replicas
from rankwise.rankers.nets._state import NetState
from rankwise.types import FloatArray, IntArray

PIECE_ROWS = 4096  # that go through the net at a time, so that what they leave for the way back stays near the core
MAX_GRAPH_SIZE = 2**28  # numbers that the graphs of a batch may hold; pieces beyond go through the net once more
MAX_BOUND_BATCHES = 20_000  # whose labels are kept as the λ's need them
RATE_FACTOR, RESTART_EPOCHS = 0.8, 50  # Burges 2006 section 6.3

Report = Callable[[NetState, Callable[[], NetState]], None]


class NetTraining:
    """A net on its way through the epochs of a plan."""

    def __init__(self, plan: NetPlan, objective: PairObjective, state: NetState | None, replicas: Replicas) -> None:
        self.plan, self.objective, self.replicas = plan, objective, replicas
        parameters = plan.parameters
        self.is_burges2006, self.device = parameters["optimizer"] == "burges2006", check_device(parameters["device"])
        _seed(plan.seed, 0, 0)
        self.module = make_module(parameters, plan.X.shape[1]).to(self.device, torch.float32)
        self.optimizer = self._optimizer()
        self.state = NetState(float(parameters["learning_rate"])) if state is None else state
        if state is not None:
            self._restore(state)
        self.bound: dict[bytes, Gradient] = {}
        outputs = sum(parameter.shape[0] for parameter in self.module.parameters() if parameter.ndim > 1)
        self.graph_pieces = MAX_GRAPH_SIZE // (PIECE_ROWS * max(outputs, 1))

    def _optimizer(self) -> torch.optim.Optimizer:
        rate, decay = (float(self.plan.parameters[name]) for name in ("learning_rate", "weight_decay"))
        optimizer = torch.optim.SGD if self.is_burges2006 else torch.optim.AdamW
        return optimizer(self.module.parameters(), lr=rate, weight_decay=decay)

    def run(self, report: Report) -> None:
        """Go on to the last epoch, or until the metric no longer rises; `report` is called after each epoch."""
        state, patience = self.state, self.plan.patience
        while state.epochs < self.plan.parameters["epochs"]:
            if patience is not None and state.epochs - state.best_epoch() >= patience:
                break
            with threads_worth(self.module, len(self.plan.X) * self.plan.batch_queries / (self.plan.offsets.size - 1)):
                self._epoch(state.epochs)
            values = [
                eval_set.value(self.plan.metric, _finite(module_row_scores(self.module, eval_set.X, self.device)))
                for eval_set in self.plan.eval_sets
            ]
            state.values.append(self.replicas.broadcast(values))
            if state.best_epoch() == state.epochs:
                state.best = module_arrays(self.module)
            if self.is_burges2006:
                self._slow_down_or_restart()
            report(state, self.present)

    def _epoch(self, epoch: int) -> None:
        batches = list(self.plan.batches(epoch))
        self.module.train()
        for number, queries in enumerate(batches):
            for group in self.optimizer.param_groups:
                group["lr"] = self._rate(epoch + number / len(batches))
            self.optimizer.zero_grad(set_to_none=True)
            share = self.replicas.share(queries, self.plan.offsets)
            if share.size:
                # λ's of different queries add up; a mean over queries makes the step the same for any size of batch.
                self._backward(share, 1.0 if self.is_burges2006 else 1.0 / queries.size, (epoch, number))
            self.replicas.add_gradients(self.module)
            self.optimizer.step()

    def _rate(self, at: float) -> float:
        """The learning rate: under the rule of Burges 2006 that of the state; AdamW's falls along a cosine."""
        if self.is_burges2006:
            return self.state.rate
        return self.state.rate * 0.5 * (1.0 + math.cos(math.pi * at / self.plan.parameters["epochs"]))

    def _backward(self, queries: IntArray, scale: float, batch: tuple[int, int]) -> None:
        """All pieces forward, the λ's of all documents, all pieces backward with them (Burges 2006 section 4, V2)."""
        rows, query = self.plan.rows_of(queries)
        gradient = self._gradient(queries, rows, query)
        pieces = list(torch.split(torch.from_numpy(self.plan.X[rows]), PIECE_ROWS))
        scores = []
        for number, piece in enumerate(pieces):
            with torch.set_grad_enabled(number < self.graph_pieces):
                scores.append(self._scores(piece, *batch, number))
        values = _finite(torch.cat([piece_scores.detach() for piece_scores in scores]).double().cpu().numpy())
        gradients = torch.split(torch.from_numpy(scale * gradient(values)), PIECE_ROWS)
        for number, (piece, by_scores) in enumerate(zip(pieces, gradients, strict=True)):
            output = scores[number] if number < self.graph_pieces else self._scores(piece, *batch, number)
            output.backward(by_scores.to(output))  # type: ignore[no-untyped-call]
            scores[number] = by_scores  # lets go of the graph

    def _scores(self, piece: torch.Tensor, epoch: int, batch: int, number: int) -> torch.Tensor:
        _seed(self.plan.seed, epoch, batch, number)  # dropout drops the same if a piece goes through the net again
        return module_scores(self.module, piece.to(self.device))

    def _gradient(self, queries: IntArray, rows: slice | IntArray, query: IntArray) -> Gradient:
        """From scores to gradient; kept where the same batch comes in every epoch."""
        plan, key = self.plan, queries.tobytes()
        if key in self.bound:
            return self.bound[key]
        gradient = self.objective.bind(plan.y[rows], query, None if plan.weight is None else plan.weight[rows])
        recurs = plan.batch_queries == 1 or plan.batch_queries >= plan.offsets.size - 1
        if recurs and len(self.bound) < MAX_BOUND_BATCHES:
            self.bound[key] = gradient
        return gradient

    def _slow_down_or_restart(self) -> None:
        """Burges 2006 section 6.3: rate × 0.8 when the cost rises; new weights when it has not fallen for 50 epochs."""
        plan, state = self.plan, self.state
        scores = _finite(module_row_scores(self.module, plan.X, self.device))
        query = np.repeat(np.arange(plan.offsets.size - 1), np.diff(plan.offsets))
        cost = self.replicas.broadcast([self.objective.cost(scores, plan.y, query, plan.weight)])[0]
        since = state.restarts[-1] if state.restarts else 0
        costs = state.costs[since:]
        state.costs.append(cost)
        if costs and cost > costs[-1]:
            state.rate *= RATE_FACTOR
        if len(costs) - int(np.argmin([*costs, cost])) >= RESTART_EPOCHS:
            state.restarts.append(len(state.costs))
            state.rate = float(plan.parameters["learning_rate"])
            _seed(plan.seed, len(state.costs), 0)
            new_weights(self.module)

    def present(self) -> NetState:
        """The state with the weights and the optimizer's numbers as they are now."""
        self.state.weights = module_arrays(self.module)
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
        entries: dict[int, dict[str, torch.Tensor]] = {}
        for key, array in state.memory.items():
            number, _, name = key.partition(".")
            entries.setdefault(int(number), {})[name] = torch.from_numpy(array)
        self.optimizer.load_state_dict(self.optimizer.state_dict() | {"state": entries})


def _finite(scores: FloatArray) -> FloatArray:
    if not np.isfinite(scores).all():
        raise DataError("the net's scores are no longer finite; lower learning_rate or standardize the features")
    return scores


def _seed(seed: int, epoch: int, batch: int, piece: int = 0) -> None:
    """Torch's random numbers follow from these four."""
    torch_seed = int(np.random.SeedSequence([seed, epoch, batch, piece]).generate_state(1, np.uint64)[0]) >> 1
    torch.default_generator.manual_seed(torch_seed)  # torch.manual_seed takes a millisecond to look for other devices
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(torch_seed)
