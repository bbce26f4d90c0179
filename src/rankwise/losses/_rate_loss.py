"""Rate objectives as torch losses: Eban 2017's saddle points, stepped through by any optimizer."""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import nn

from rankwise._docstrings import inherit_sections
from rankwise.errors import DataError, ShapeError
from rankwise.losses._autograd import with_gradients
from rankwise.metrics import Metric
from rankwise.objectives import RateObjective, SaddlePoint, rate_objective
from rankwise.objectives.rates._objective import DEFAULT_ANCHORS
from rankwise.objectives.rates._statements import RateCounts
from rankwise.objectives.rates.saddle._partials import partials
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER, MIN_SPLIT
from rankwise.objectives.rates.saddle._surrogates import Surrogate, parse_surrogate
from rankwise.types import FloatArray

MAX_LABEL_WEIGHT = 1e6  # after which sums of weights are halved: they stay exact in single precision
MIN_COUNT = 1e-12

Numbers: TypeAlias = Any  # an array or a tensor: the same lines serve both


class RateLossOptions(TypedDict, total=False):
    """Parameters of `RateLoss` beside its objective and anchors.

    Parameters
    ----------
    **options : RateLossOptions
        Other parameters of `RateLoss`: surrogate="hinge", classes=1, share=None, threshold_rate=10.0,
        multiplier_rate=10.0, damping=0.0.

    See Also
    --------
    RateLoss : The loss of any objective, with all parameters explained.

    References
    ----------
    Elad ET. Eban, Mariano Schain, Alan Mackey, Ariel Gordon, Rif A. Saurous and Gal Elidan (2017). Scalable Learning of
    Non-Decomposable Objectives. AISTATS.
    """

    surrogate: str | Surrogate
    classes: int
    share: ArrayLike | None
    threshold_rate: float
    multiplier_rate: float
    damping: float


def _for_numpy(device: torch.device) -> bool:
    """Whether numpy can read a tensor where it is."""
    return device.type == "cpu"


def _host(values: Numbers) -> FloatArray:
    """Numbers of anchors, which are few, in double precision and main memory."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float64)
    return values.detach().double().cpu().numpy()  # type: ignore[no-any-return,unused-ignore]


def _inward(gradient: FloatArray, at: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Without what pushes further out of bounds: a projection that leaves the parameter alone."""
    outward = ((at <= low) & (gradient > 0.0)) | ((at >= high) & (gradient < 0.0))
    return np.where(outward, 0.0, gradient)


class RateLoss(nn.Module):
    """A rate objective in the place of `BCEWithLogitsLoss`: `loss(logits, targets)`.

    Thresholds and multipliers are parameters: give them to the optimizer with the net's,
    `[*net.parameters(), *loss.parameters()]`. Gradients of multipliers are turned round, so that every optimizer
    climbs in them. Thresholds start at quantiles of the scores of the first batch that has positives and negatives, as
    `SaddlePoint.start` places them; call `start` with more rows for a better one, when a trained net goes on with this
    loss. Batches may lack positives or negatives.

    Parameters
    ----------
    objective : str, Metric or RateObjective
        What to reach, such as `r@p=0.95`, `f1` or `0.5*r@p=0.9 + 0.5*aucpr`.
    anchors : int, default=10
        Points of the curve that an area is summed over.
    surrogate : str or Surrogate, default="hinge"
        The bound of the 0/1 loss that counts are made of.
    classes : int, default=1
        With several, each class has thresholds and multipliers of its own, and the loss is the mean over classes.
    share : float or array-like of shape (classes,), default=None
        The share of positives where it is known; None is that of the batches so far, and |Y+| is the batch's count.
    threshold_rate : float, default=10.0
        Steps of thresholds in units of the optimizer's.
    multiplier_rate : float, default=10.0
        Steps of multipliers in units of the optimizer's.
    damping : float, default=0.0
        Adds an excess to its multiplier at once (the augmented Lagrangian, with the same saddle point): steps then
        spiral into that point rather than around it; in small batches, whose counts are noisy, less of it is better.

    Notes
    -----
    The value is the Lagrangian of the batch, Eban 2017 (12), in shares of the positives.

    References
    ----------
    Elad ET. Eban, Mariano Schain, Alan Mackey, Ariel Gordon, Rif A. Saurous and Gal Elidan (2017). Scalable Learning of
    Non-Decomposable Objectives. AISTATS.

    Examples
    --------
    >>> net, loss = nn.Linear(3, 1), RateLoss("r@p=0.9")
    >>> optimizer = torch.optim.Adam([*net.parameters(), *loss.parameters()], lr=1e-2)
    >>> x, y = torch.eye(3), torch.tensor([[1.0], [0.0], [1.0]])
    >>> loss(net(x), y).backward()
    >>> optimizer.step()
    """

    levels: torch.Tensor
    label_weight: torch.Tensor
    started: torch.Tensor

    def __init__(
        self,
        objective: str | Metric | RateObjective,
        *,
        anchors: int = DEFAULT_ANCHORS,
        surrogate: str | Surrogate = "hinge",
        classes: int = 1,
        share: ArrayLike | None = None,
        threshold_rate: float = 10.0,
        multiplier_rate: float = 10.0,
        damping: float = 0.0,
    ) -> None:
        super().__init__()
        self.objective = rate_objective(objective, anchors=anchors)
        self.surrogate = parse_surrogate(surrogate)
        self.threshold_rate, self.multiplier_rate = float(threshold_rate), float(multiplier_rate)
        self.damping = float(damping)
        shares = None if share is None else np.broadcast_to(np.asarray(share, dtype=np.float64), (classes,))
        if shares is not None and not ((shares > 0.0) & (shares < 1.0)).all():
            raise DataError(f"the share of positives must be between 0 and 1, got {share!r}")
        self.share, self.classes = shares, classes
        # Thresholds, multipliers and, for F_β, log ψ, each over its rate: one parameter, because an optimizer takes
        # its time for each, and this one is small.
        rates = [self.threshold_rate, self.multiplier_rate, self.threshold_rate][: 2 + self.objective.has_splits]
        self.rates = np.array(rates)[:, None, None]
        self.bounds = np.array([[-np.inf, 0.0, np.log(MIN_SPLIT)], [np.inf, MAX_MULTIPLIER, 0.0]])[
            :, : len(rates), None, None
        ]
        self.raw = nn.Parameter(torch.zeros(len(rates), classes, self.objective.size))
        nn.init.constant_(self.raw[1], 1.0 / self.multiplier_rate)
        expected = np.full(classes, 0.5) if shares is None else shares
        levels = np.stack([self.objective.levels(float(share)) for share in expected])
        self.register_buffer("levels", torch.tensor(levels, dtype=torch.float32))
        # Of positives and of negatives in all batches so far.
        self.register_buffer("label_weight", torch.zeros(2, classes, dtype=torch.float64))
        self.register_buffer("started", torch.zeros(classes, dtype=torch.bool))
        self._all_started = False

    def _unknowns(self) -> FloatArray:
        """b, λ and log ψ, within their bounds."""
        return np.asarray(np.clip(_host(self.raw) * self.rates, *self.bounds))

    @property
    def thresholds(self) -> FloatArray:
        """Thresholds b, of shape (classes, anchors)."""
        return np.asarray(self._unknowns()[0])

    @property
    def multipliers(self) -> FloatArray:
        """Multipliers λ, of shape (classes, anchors), from 0 to `MAX_MULTIPLIER`."""
        return np.asarray(self._unknowns()[1])

    @property
    def splits(self) -> FloatArray | None:
        """Splits ψ of F_β in shares of the positives, of shape (classes, anchors); None for other objectives."""
        return np.asarray(np.exp(self._unknowns()[2])) if self.objective.has_splits else None

    def forward(
        self, logits: torch.Tensor, targets: torch.Tensor, sample_weight: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Compute the Lagrangian Eban 2017 (12) of a batch, in shares of the positives.

        Parameters
        ----------
        logits : torch.Tensor of shape (n,), (n, 1) or (n, classes)
            Scores.
        targets : torch.Tensor of the shape of `logits`
            Above 0 is positive.
        sample_weight : torch.Tensor of shape (n,), (n, 1) or (n, classes), default=None
            Weights of rows.

        Returns
        -------
        torch.Tensor
            The loss, a scalar.
        """
        if not logits.is_floating_point():
            raise DataError(f"logits must be a tensor of floating-point numbers, got {logits.dtype}")
        with torch.no_grad():
            scores = self._rows(logits.detach(), "logits")
            scores = scores.float() if scores.dtype.itemsize < 4 else scores
            positive = self._rows(targets.detach(), "targets") > 0
            if positive.shape != scores.shape:
                raise ShapeError(f"targets must have the shape of the logits {logits.shape}, got {targets.shape}")
            y, weights = positive.to(scores.dtype), self._weights(sample_weight, scores)
            if not self._all_started:
                self._start_missing(scores, y, weights)
            total, by_scores, by_raw = self._lagrangian(scores, y, weights)
            by_logits = by_scores.reshape(logits.shape).to(logits.dtype)
            value = torch.tensor(total, dtype=scores.dtype, device=scores.device)
        return with_gradients(value, [logits, self.raw], [by_logits, by_raw])

    def _lagrangian(
        self, scores: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor | None
    ) -> tuple[float, torch.Tensor, torch.Tensor]:
        """Its value, and its gradients by scores and by what is raw (turned round for multipliers).

        What has a number for each row stays where the scores are: in main memory numpy does it, with less overhead on
        small arrays than torch; elsewhere the same lines are torch's.
        """
        device, dtype = scores.device, scores.dtype
        on_cpu = _for_numpy(device)

        def by_class(values: torch.Tensor) -> Numbers:
            return values.T.numpy() if on_cpu else values.T

        def like_scores(values: FloatArray) -> Numbers:
            return values.astype(s.dtype) if on_cpu else torch.from_numpy(values).to(scores)

        s, y = by_class(scores), by_class(targets)  # classes, rows
        sides = (np if on_cpu else torch).stack([y, 1.0 - y], 1)  # classes, positives and negatives, rows
        if weights is not None:
            sides = sides * by_class(weights)[:, None]
        in_batch = _host(sides.sum(2)).T
        unknowns, levels = self._unknowns(), _host(self.levels)
        splits = np.exp(unknowns[2]) if self.objective.has_splits else np.ones_like(unknowns[0])
        share = self._share_of_positives(in_batch)
        unit = np.maximum(in_batch.sum(axis=0) * share, MIN_COUNT)[:, None]  # |Y+| as it is to be expected
        sizes = np.stack([np.ones_like(share), (1.0 - share) / share])[..., None]
        if self.share is None:
            sizes = np.maximum(in_batch[..., None] / unit, MIN_COUNT)

        margins = (s[:, :, None] - like_scores(unknowns[0])[:, None, :]) * (2.0 * y - 1.0)[:, :, None]
        counted = _host(sides @ self.surrogate.value(margins)) / unit[:, None]
        counts = RateCounts(counted[:, 0], counted[:, 1], sizes[0], sizes[1], levels, splits)
        multipliers, damping = unknowns[1], np.zeros(())
        if self.damping:
            multipliers = np.clip(unknowns[1] + self.damping * self.objective.excesses(counts), 0.0, MAX_MULTIPLIER)
            damping = (multipliers - unknowns[1]) / self.damping
        partial = partials(self.objective, counts, multipliers)
        class_weight = (1.0 if self._all_started else _host(self.started)[:, None]) / share.size
        scale = class_weight * self.objective.shares()
        augmented = partial.costs + multipliers * partial.excesses - 0.5 * self.damping * damping**2
        value = float((scale * augmented).sum())

        slopes = self.surrogate.slope(margins)
        slopes = slopes if on_cpu else slopes.to(scores)
        factors = np.stack([partial.missed, -partial.false], 1) * (class_weight / unit)[:, None]  # classes, 2, anchors
        by_scores = (sides * (like_scores(factors) @ slopes.swapaxes(1, 2))).sum(1)
        by_unknowns = [
            -(factors * _host(sides @ slopes)).sum(1),
            -scale * (damping if self.damping else partial.excesses),
            *[class_weight * partial.split * splits] * self.objective.has_splits,
        ]
        by_raw = torch.from_numpy(_inward(np.stack(by_unknowns), _host(self.raw) * self.rates, *self.bounds))
        shaped = torch.from_numpy(by_scores) if on_cpu else by_scores
        return value, shaped.T.to(device, dtype), by_raw.to(self.raw)

    def _rows(self, values: torch.Tensor, name: str, widths: tuple[int, ...] = ()) -> torch.Tensor:
        """Values as a column per class; `widths` are those that are taken beside the number of classes."""
        if values.ndim == 1 and 1 in (self.classes, *widths):
            return values[:, None]
        if values.ndim == 2 and values.shape[1] in (self.classes, *widths):
            return values
        shape = "(n,) or (n, 1)" if self.classes == 1 else f"(n, {self.classes})"
        raise ShapeError(f"{name} must have the shape {shape}, got {tuple(values.shape)}; classes= is their number")

    def _weights(self, sample_weight: torch.Tensor | None, scores: torch.Tensor) -> torch.Tensor | None:
        if sample_weight is None:
            return None
        return self._rows(sample_weight.detach(), "sample_weight", (1,)).to(scores).expand_as(scores)

    def _share_of_positives(self, in_batch: FloatArray) -> FloatArray:
        """Of each class: as passed, or of all batches so far, this one included (counted while training)."""
        if self.share is not None:
            return self.share
        total = _host(self.label_weight) + in_batch
        total *= np.where(total.sum(axis=0) > MAX_LABEL_WEIGHT, 0.5, 1.0)
        if self.training:
            self.label_weight.copy_(torch.from_numpy(total))
        return np.asarray(np.clip(total[0] / np.maximum(total.sum(axis=0), MIN_COUNT), 1e-6, 1.0))

    @torch.no_grad()
    def _start_missing(self, scores: torch.Tensor, y: torch.Tensor, weights: torch.Tensor | None) -> None:
        weights = torch.ones_like(y) if weights is None else weights
        has_both = ((weights * y).sum(0) > 0) & ((weights * (1.0 - y)).sum(0) > 0)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            votes = has_both.to(torch.int32)  # replicas start together, from the mean of what each would start from
            torch.distributed.all_reduce(votes, op=torch.distributed.ReduceOp.MIN)
            has_both = votes > 0
        for c in torch.nonzero(has_both & ~self.started).flatten().tolist():
            self._start_class(c, scores[:, c], y[:, c], weights[:, c])
        self._all_started = bool(self.started.all())

    def _start_class(self, c: int, scores: torch.Tensor, y: torch.Tensor, weights: torch.Tensor) -> None:
        share = None if self.share is None else float(self.share[c])
        labels, sample_weight, values = (tensor.double().cpu().numpy() for tensor in (y, weights, scores))
        saddle = SaddlePoint(self.objective, labels, sample_weight, surrogate=self.surrogate, share=share).start(values)
        start = torch.tensor(np.stack([saddle.thresholds, saddle.multipliers, saddle.splits, saddle.levels]))
        start = start.float().to(scores.device)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.all_reduce(start)
            start /= torch.distributed.get_world_size()
        self.raw[0, c] = start[0] / self.threshold_rate
        self.raw[1, c] = start[1] / self.multiplier_rate
        if self.objective.has_splits:
            self.raw[2, c] = start[2].log() / self.threshold_rate
        self.levels[c] = start[3]
        self.started[c] = True

    @inherit_sections(forward)
    @torch.no_grad()
    def start(self, logits: torch.Tensor, targets: torch.Tensor, sample_weight: torch.Tensor | None = None) -> RateLoss:
        """Place thresholds and multipliers anew, for these scores of a trained net.

        Returns
        -------
        RateLoss
            This loss.
        """
        self.started.zero_()
        scores = self._rows(logits, "logits").float()
        y = (self._rows(targets, "targets") > 0).float()
        self._start_missing(scores, y, self._weights(sample_weight, scores))
        return self

    def extra_repr(self) -> str:
        """Describe the loss for `print(net)`.

        Returns
        -------
        str
            The objective and its surrogate.
        """
        return f"{str(self.objective)!r}, surrogate={str(self.surrogate)!r}, classes={self.classes}"
