"""Rate objectives as torch losses: Eban 2017's saddle points, stepped through by any optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.autograd.function import once_differentiable

from rankwise.errors import DataError, ShapeError
from rankwise.metrics import Metric
from rankwise.objectives import RateObjective, SaddlePoint, rate_objective
from rankwise.objectives.rates._objective import DEFAULT_ANCHORS
from rankwise.objectives.rates._statements import Counts
from rankwise.objectives.rates.saddle._partials import partials
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER, MIN_SPLIT
from rankwise.objectives.rates.saddle._surrogates import Surrogate, parse_surrogate
from rankwise.types import FloatArray


class _KnownGradients(torch.autograd.Function):
    """A number whose gradients by two tensors were found along with it."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor, first: torch.Tensor, second: torch.Tensor, *_: torch.Tensor) -> Any:
        ctx.save_for_backward(first, second)
        return value.to(first.device, copy=True)

    @staticmethod
    @once_differentiable  # type: ignore[misc,no-untyped-call,untyped-decorator,unused-ignore]
    def backward(ctx: Any, upstream: torch.Tensor) -> Any:
        return None, None, None, *[upstream.to(gradient) * gradient for gradient in ctx.saved_tensors]


def _for_numpy(device: torch.device) -> bool:
    """Whether numpy can read a tensor where it is."""
    return device.type == "cpu"


def _host(values: Any) -> FloatArray:
    """Numbers of anchors, which are few, in double precision and main memory."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float64)
    return values.detach().double().cpu().numpy()  # type: ignore[no-any-return,unused-ignore]


def _inward(gradient: FloatArray, at: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Without what pushes further out of bounds: a projection that leaves the parameter alone."""
    outward = ((at <= low) & (gradient > 0.0)) | ((at >= high) & (gradient < 0.0))
    return np.where(outward, 0.0, gradient)


class RateLoss(nn.Module):
    """A rate objective in the place of `BCEWithLogitsLoss`: `loss(logits, targets)`, give or take a `weight`.

    Its thresholds and multipliers are parameters: give them to the optimizer with the net's,
    `[*net.parameters(), *loss.parameters()]`. Gradients of multipliers are turned round, so that every optimizer
    climbs in them. `threshold_rate` and `multiplier_rate` are their steps in units of the optimizer's. `damping` adds
    an excess to its multiplier at once (the augmented Lagrangian, with the same saddle point): steps then spiral into
    that point rather than around it; in small batches, whose counts are noisy, less of it is better.

    - logits and targets are (n,), (n, 1) or (n, classes); a target above 0 is positive. With `classes` each class has
      thresholds and multipliers of its own, and the loss is the mean over classes.
    - `share` is the share of positives (one for all classes, or one each) where it is known; without, it is that of the
      batches seen so far, and |Y+| is the batch's own count. Batches may lack positives or negatives.
    - Thresholds start at quantiles of the scores of the first batch that has both, as `SaddlePoint.start` places them;
      call `start` with more rows for a better one, when a trained net goes on with this loss.

    >>> net, loss = nn.Linear(3, 1), RateLoss("r@p=0.9")
    >>> optimizer = torch.optim.Adam([*net.parameters(), *loss.parameters()], lr=1e-2)
    >>> x, y = torch.eye(3), torch.tensor([[1.0], [0.0], [1.0]])
    >>> loss(net(x), y).backward()
    >>> optimizer.step()
    """

    levels: torch.Tensor
    seen: torch.Tensor
    started: torch.Tensor

    def __init__(
        self,
        objective: str | Metric | RateObjective,
        *,
        anchors: int = DEFAULT_ANCHORS,
        surrogate: str | Surrogate = "hinge",
        classes: int = 1,
        share: Any = None,
        threshold_rate: float = 10.0,
        multiplier_rate: float = 10.0,
        damping: float = 0.0,
    ) -> None:
        super().__init__()
        self.objective = rate_objective(objective, anchors=anchors)
        self.surrogate = parse_surrogate(surrogate)
        self.threshold_rate, self.multiplier_rate = float(threshold_rate), float(multiplier_rate)
        self.damping = float(damping)
        given = None if share is None else np.broadcast_to(np.asarray(share, dtype=np.float64), (classes,))
        if given is not None and not ((given > 0.0) & (given < 1.0)).all():
            raise DataError(f"the share of positives must be between 0 and 1, got {share!r}")
        self.known_share, self.classes = given, classes
        # Thresholds, multipliers and, for F_β, log ψ, each over its rate: one parameter, because an optimizer takes
        # its time for each, and this one is small.
        rates = [self.threshold_rate, self.multiplier_rate, self.threshold_rate][: 2 + self.objective.has_splits]
        self.rates = np.array(rates)[:, None, None]
        self.bounds = np.array([[-np.inf, 0.0, np.log(MIN_SPLIT)], [np.inf, MAX_MULTIPLIER, 0.0]])[
            :, : len(rates), None, None
        ]
        self.raw = nn.Parameter(torch.zeros(len(rates), classes, self.objective.size))
        nn.init.constant_(self.raw[1], 1.0 / self.multiplier_rate)
        known = np.full(classes, 0.5) if given is None else given
        levels = np.stack([self.objective.levels(float(one)) for one in known])
        self.register_buffer("levels", torch.tensor(levels, dtype=torch.float32))
        self.register_buffer(
            "seen", torch.zeros(2, classes, dtype=torch.float64)
        )  # weight of positives and of negatives
        self.register_buffer("started", torch.zeros(classes, dtype=torch.bool))
        self._all_started = False

    def _own(self) -> FloatArray:
        """b, λ and log ψ, within their bounds."""
        return np.asarray(np.clip(_host(self.raw) * self.rates, *self.bounds))

    @property
    def thresholds(self) -> FloatArray:
        """b, (classes, anchors)."""
        return np.asarray(self._own()[0])

    @property
    def multipliers(self) -> FloatArray:
        """λ, (classes, anchors), within 0 and MAX_MULTIPLIER."""
        return np.asarray(self._own()[1])

    @property
    def splits(self) -> FloatArray | None:
        """ψ of F_β in shares of the positives, (classes, anchors)."""
        return np.asarray(np.exp(self._own()[2])) if self.objective.has_splits else None

    def forward(self, logits: torch.Tensor, targets: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
        """The Lagrangian Eban 2017 (12) of a batch, in shares of the positives."""
        if not logits.is_floating_point():
            raise DataError(f"logits must be a tensor of floating-point numbers, got {logits.dtype}")
        with torch.no_grad():
            scores = self._rows(logits.detach(), "logits")
            scores = scores.float() if scores.dtype.itemsize < 4 else scores
            plus = self._rows(targets.detach(), "targets") > 0
            if plus.shape != scores.shape:
                raise ShapeError(f"targets must have the shape of the logits {logits.shape}, got {targets.shape}")
            plus = plus.to(scores.dtype)
            weights = None if weight is None else self._rows(weight.detach(), "weight").to(plus).expand_as(plus)
            if not self._all_started:
                self._start_missing(scores, plus, weights)
            found, by_scores, by_raw = self._lagrangian(scores, plus, weights)
            by_logits = by_scores.reshape(logits.shape).to(logits.dtype)
            value = torch.tensor(found, dtype=scores.dtype, device=scores.device)
        return _KnownGradients.apply(value, by_logits, by_raw, logits, self.raw)  # type: ignore[no-any-return,no-untyped-call]

    def _lagrangian(self, scores: Any, plus: Any, weights: Any) -> tuple[float, torch.Tensor, torch.Tensor]:
        """Its value, and its gradients by scores and by what is raw (turned round for multipliers).

        What has a number for each row is kept where the scores are: in main memory numpy does it, with less ado
        about small arrays than torch; elsewhere the same lines are torch's.
        """
        device, kind = scores.device, scores.dtype
        on_cpu = _for_numpy(device)
        s, y = (one.T.numpy() if on_cpu else one.T for one in (scores, plus))  # classes, rows
        sides = (np if on_cpu else torch).stack([y, 1.0 - y], 1)  # classes, positives and negatives, rows
        if weights is not None:
            sides = sides * (weights.T.numpy() if on_cpu else weights.T)[:, None]
        in_batch = _host(sides.sum(2)).T
        own, levels = self._own(), _host(self.levels)
        splits = np.exp(own[2]) if self.objective.has_splits else np.ones_like(own[0])
        share = self._share(in_batch)
        unit = np.maximum(in_batch.sum(axis=0) * share, 1e-12)[:, None]  # |Y+| as it is to be expected
        sizes = np.stack([np.ones_like(share), (1.0 - share) / share])[..., None]
        if self.known_share is None:
            sizes = np.maximum(in_batch[..., None] / unit, 1e-12)

        def put(values: FloatArray) -> Any:
            return values.astype(s.dtype) if on_cpu else torch.from_numpy(values).to(scores)

        margins = (s[:, :, None] - put(own[0])[:, None, :]) * (2.0 * y - 1.0)[:, :, None]
        counted = _host(sides @ self.surrogate.value(margins)) / unit[:, None]
        counts = Counts(counted[:, 0], counted[:, 1], sizes[0], sizes[1], levels, splits)
        multipliers, damping = own[1], np.zeros(())
        if self.damping:
            multipliers = np.clip(own[1] + self.damping * self.objective.excesses(counts), 0.0, MAX_MULTIPLIER)
            damping = (multipliers - own[1]) / self.damping
        by = partials(self.objective, counts, multipliers)
        live = 1.0 / share.size if self._all_started else _host(self.started)[:, None] / share.size
        scale = live * self.objective.shares()
        augmented = by.costs + multipliers * by.excesses - 0.5 * self.damping * damping**2
        value = float((scale * augmented).sum())

        slopes = self.surrogate.slope(margins)
        slopes = slopes if on_cpu else slopes.to(scores)
        factors = np.stack([by.missed, -by.false], 1) * (live / unit)[:, None]  # classes, two sides, anchors
        by_scores = (sides * (put(factors) @ slopes.swapaxes(1, 2))).sum(1)
        by_own = [-(factors * _host(sides @ slopes)).sum(1), -scale * (damping if self.damping else by.excesses)]
        by_own += [live * by.split * splits] * self.objective.has_splits
        by_raw = torch.from_numpy(_inward(np.stack(by_own), _host(self.raw) * self.rates, *self.bounds))
        shaped = torch.from_numpy(by_scores) if on_cpu else by_scores
        return value, shaped.T.to(device, kind), by_raw.to(self.raw)

    def _rows(self, values: torch.Tensor, name: str) -> torch.Tensor:
        classes = self.classes
        if values.ndim == 1 and (classes == 1 or name == "weight"):
            return values[:, None]
        if values.ndim == 2 and values.shape[1] in (classes, 1 if name == "weight" else classes):
            return values
        wanted = "(n,) or (n, 1)" if classes == 1 else f"(n, {classes})"
        raise ShapeError(f"{name} must have the shape {wanted}, got {tuple(values.shape)}; classes= is their number")

    def _share(self, in_batch: FloatArray) -> FloatArray:
        """Of positives in each class: known, or of all batches so far, this one included (counted while training)."""
        if self.known_share is not None:
            return self.known_share
        seen = _host(self.seen) + in_batch
        seen *= np.where(seen.sum(axis=0) > 1e6, 0.5, 1.0)  # stays exact in single precision
        if self.training:
            self.seen.copy_(torch.from_numpy(seen))
        return np.asarray(np.clip(seen[0] / np.maximum(seen.sum(axis=0), 1e-12), 1e-6, 1.0))

    @torch.no_grad()
    def _start_missing(self, scores: torch.Tensor, plus: torch.Tensor, weight: torch.Tensor | None) -> None:
        weights = torch.ones_like(plus) if weight is None else weight
        both = ((weights * plus).sum(0) > 0) & ((weights * (1.0 - plus)).sum(0) > 0)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            every = both.to(torch.int32)  # replicas start together, from the mean of what each would start from
            torch.distributed.all_reduce(every, op=torch.distributed.ReduceOp.MIN)
            both = every > 0
        for c in torch.nonzero(both & ~self.started).flatten().tolist():
            self._start_class(c, scores[:, c], plus[:, c], weights[:, c])
        self._all_started = bool(self.started.all())

    def _start_class(self, c: int, scores: torch.Tensor, plus: torch.Tensor, weights: torch.Tensor) -> None:
        share = None if self.known_share is None else float(self.known_share[c])
        y, w, s = (values.double().cpu().numpy() for values in (plus, weights, scores))
        saddle = SaddlePoint(self.objective, y, w, surrogate=self.surrogate, share=share).start(s)
        found = torch.tensor(np.stack([saddle.thresholds, saddle.multipliers, saddle.splits, saddle.levels]))
        found = found.float().to(scores.device)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.all_reduce(found)
            found /= torch.distributed.get_world_size()
        self.raw[0, c] = found[0] / self.threshold_rate
        self.raw[1, c] = found[1] / self.multiplier_rate
        if self.objective.has_splits:
            self.raw[2, c] = found[2].log() / self.threshold_rate
        self.levels[c] = found[3]
        self.started[c] = True

    @torch.no_grad()
    def start(self, logits: torch.Tensor, targets: torch.Tensor, weight: torch.Tensor | None = None) -> RateLoss:
        """Place thresholds and multipliers anew, for these scores of a trained net."""
        self.started.zero_()
        scores, plus = self._rows(logits, "logits").float(), (self._rows(targets, "targets") > 0).float()
        weights = None if weight is None else self._rows(weight, "weight").float().expand_as(scores)
        self._start_missing(scores, plus, weights)
        return self

    def extra_repr(self) -> str:
        """The objective and its surrogate, for `print(net)`."""
        return f"{str(self.objective)!r}, surrogate={str(self.surrogate)!r}, classes={self.classes}"
