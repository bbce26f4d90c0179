"""Rate objectives as torch losses: Eban 2017's saddle points, stepped through by any optimizer."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import nn

from rankwise._docstrings import inherit_sections
from rankwise._validation import check_real, check_whole
from rankwise.errors import DataError
from rankwise.losses._autograd import with_gradients
from rankwise.losses._batches import TensorLike
from rankwise.losses._rate_batches import RateBatch, RateKernel, RateState, columns, has_kernel, statement_kinds
from rankwise.metrics import Metric
from rankwise.objectives import RateObjective, SaddlePoint, rate_objective
from rankwise.objectives.rates._objective import DEFAULT_ANCHORS
from rankwise.objectives.rates._statements import RateCounts
from rankwise.objectives.rates.saddle._saddle import MAX_MULTIPLIER, MIN_SPLIT
from rankwise.objectives.rates.saddle._surrogates import Surrogate, parse_surrogate
from rankwise.types import AnyArray, FloatArray

MIN_RATE, MAX_RATE = 1e-6, 1e6  # of steps, in units of the optimizer's
MAX_CLASSES = 100_000


class RateLossOptions(TypedDict, total=False):
    """Parameters of `RateLoss` beside its objective and anchors.

    Parameters
    ----------
    **options : RateLossOptions
        Other parameters of `RateLoss`: surrogate="log2", classes=1, share=None, threshold_rate=10.0,
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


def _host(values: torch.Tensor) -> FloatArray:
    """Numbers of anchors, which are few, in double precision and main memory."""
    return values.detach().double().cpu().numpy()  # type: ignore[no-any-return,unused-ignore]


def _class_shares(share: ArrayLike, classes: int) -> FloatArray:
    """The share of positives of each class."""
    try:
        shares = np.broadcast_to(np.asarray(share, dtype=np.float64), (classes,))
    except (TypeError, ValueError, OverflowError):
        shares = np.full(1, np.nan)
    if not ((shares > 0.0) & (shares < 1.0)).all():
        raise DataError(
            f"the share of positives must be a number between 0 and 1, or one per class, got {share!r:.100}; pass that"
        )
    return shares


def _multiplier_units(objective: RateObjective, levels: FloatArray, share: float) -> FloatArray:
    """What a multiplier of 1 comes to: with it, an excess weighs as much as the cost when every row has a loss of 1.

    (6) multiplies the false positives of a precision of 0.95 by 19, and there are many: a step as long as those of the
    weights would throw λ far beyond any saddle point.
    """
    negatives = (1.0 - share) / share
    none, every = (
        RateCounts(np.full_like(levels, loss), np.full_like(levels, loss * negatives), 1.0, negatives, levels, unit)
        for unit in [np.ones_like(levels)]
        for loss in (0.0, 1.0)
    )
    cost, excess = objective.costs(every) - objective.costs(none), objective.excesses(every) - objective.excesses(none)
    return np.asarray(cost / excess)


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
        Points of the curve that an area is summed over, up to 1,000.
    surrogate : str or Surrogate, default="log2"
        The bound of the 0/1 loss that counts are made of: "log2", "hinge" as in Eban 2017 (2), "smooth-hinge",
        "ramp[width]", or "sigmoid[width]", which is no bound.
    classes : int, default=1
        With several, up to 100,000, each class has thresholds and multipliers of its own, and the loss is the mean
        over classes.
    share : float or array-like of shape (classes,), default=None
        The share of positives where it is known; None is that of the batches so far, and |Y+| is the batch's count.
    threshold_rate : float, default=10.0
        Steps of thresholds in units of the optimizer's, from 1e-6 to 1e6.
    multiplier_rate : float, default=10.0
        Steps of multipliers in units of the optimizer's, from 1e-6 to 1e6; a multiplier of 1 is one by which an excess
        weighs as much as the cost.
    damping : float, default=0.0
        Adds an excess to its multiplier at once (the augmented Lagrangian, with the same saddle point): steps then
        spiral into that point rather than around it; in small batches, whose counts are noisy, less of it is better.

    Notes
    -----
    The value is the Lagrangian of the batch, Eban 2017 (12), in shares of the positives.

    Plain `torch.optim.SGD` steps as Eban 2017 (6) does. By theory (lemma 4.2) it is the average of the iterates that
    comes to the saddle point, by steps that shrink as 1/√t: average net and loss by
    `torch.optim.swa_utils.AveragedModel`. Losses that count false positives by positive (precision at a recall, F_β)
    need a learning rate that is |Y−|/|Y+| times lower than the others; Adam's kind needs none of this.

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
    units: torch.Tensor
    label_weight: torch.Tensor
    started: torch.Tensor
    _in_memory: RateKernel | None = None

    def __init__(
        self,
        objective: str | Metric | RateObjective,
        *,
        anchors: int = DEFAULT_ANCHORS,
        surrogate: str | Surrogate = "log2",
        classes: int = 1,
        share: ArrayLike | None = None,
        threshold_rate: float = 10.0,
        multiplier_rate: float = 10.0,
        damping: float = 0.0,
    ) -> None:
        super().__init__()
        self.objective = rate_objective(objective, anchors=anchors)
        self.surrogate = parse_surrogate(surrogate)
        self.threshold_rate = check_real("threshold_rate", threshold_rate, MIN_RATE, MAX_RATE)
        self.multiplier_rate = check_real("multiplier_rate", multiplier_rate, MIN_RATE, MAX_RATE)
        self.damping = check_real("damping", damping, 0.0, MAX_RATE)
        classes = check_whole("classes", classes, 1, MAX_CLASSES)
        shares = None if share is None else _class_shares(share, classes)
        self.share, self.classes = shares, classes
        self._known_share = np.zeros(classes) if shares is None else np.array(shares)
        self._class_weight, self._kinds = np.zeros(classes), statement_kinds(self.objective)
        # Thresholds, multipliers and, for F_β, log ψ, each over its rate: one parameter, because an optimizer takes
        # its time for each, and this one is small.
        rates = [self.threshold_rate, self.multiplier_rate, self.threshold_rate][: 2 + self.objective.has_splits]
        self.rates = np.array(rates)
        self.raw = nn.Parameter(torch.zeros(len(rates), classes, self.objective.size))
        nn.init.constant_(self.raw[1], 1.0 / self.multiplier_rate)
        expected = np.full(classes, 0.5) if shares is None else shares
        levels = np.stack([self.objective.levels(float(share)) for share in expected])
        self.register_buffer("levels", torch.tensor(levels, dtype=torch.float32))
        self.register_buffer("units", torch.ones(classes, self.objective.size))  # of multipliers
        # Of positives and of negatives in all batches so far.
        self.register_buffer("label_weight", torch.zeros(2, classes, dtype=torch.float64))
        self.register_buffer("started", torch.zeros(classes, dtype=torch.bool))
        self._all_started = False

    def _unknowns(self) -> FloatArray:
        """b, λ and log ψ, within their bounds."""
        unknowns = _host(self.raw) * self.rates[:, None, None]
        unknowns[1] = np.clip(unknowns[1], 0.0, self._most()) * _host(self.units)
        unknowns[2:] = np.clip(unknowns[2:], np.log(MIN_SPLIT), 0.0)
        return np.asarray(unknowns)

    def _most(self) -> FloatArray:
        """The highest multipliers, in their units."""
        return MAX_MULTIPLIER / np.minimum(_host(self.units), 1.0)

    @property
    def thresholds(self) -> FloatArray:
        """Thresholds b, of shape (classes, anchors)."""
        return np.asarray(self._unknowns()[0])

    @property
    def multipliers(self) -> FloatArray:
        """Multipliers λ, of shape (classes, anchors), from 0 to `MAX_MULTIPLIER` (or as many of its units)."""
        return np.asarray(self._unknowns()[1])

    @property
    def splits(self) -> FloatArray | None:
        """Splits ψ of F_β in shares of the positives, of shape (classes, anchors); None for other objectives."""
        return np.asarray(np.exp(self._unknowns()[2])) if self.objective.has_splits else None

    def forward(
        self, logits: torch.Tensor, targets: TensorLike, sample_weight: TensorLike | None = None
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
        if not isinstance(logits, torch.Tensor):
            raise DataError(f"logits must be a tensor, got {type(logits).__name__}; pass what the model gives")
        if not logits.is_floating_point():
            raise DataError(f"logits must be a tensor of floating-point numbers, got {logits.dtype}; pass floats")
        scores = logits if logits.itemsize >= 4 else logits.float()
        batch = RateBatch.of(scores, targets, sample_weight, self.classes)
        if not self._all_started:
            self._start_missing(batch)
        raw: torch.Tensor | None = self._parameters["raw"]
        assert raw is not None
        if has_kernel(self.surrogate, scores, raw):
            value, gradients = batch.step_by_kernel(self._kernel(raw), raw)
            return with_gradients(value, (logits, raw), gradients)
        state = self._state(*map(_host, (raw, self.levels, self.units, self.label_weight)))
        value, (by_scores, by_raw) = batch.detached().step_by_torch(state, self.surrogate)
        self.label_weight.copy_(torch.from_numpy(state.label_weight))
        raw = raw if raw.device == value.device else raw.to(value)  # whose gradients come back from there
        return with_gradients(value, (logits, raw), (by_scores, by_raw.to(raw)))

    def _kernel(self, raw: torch.Tensor) -> RateKernel:
        """The kernel, and parameter and buffers as arrays of the same memory: made anew once any of this is another."""
        buffers: dict[str, Any] = self._buffers
        levels, units, label_weight = buffers["levels"], buffers["units"], buffers["label_weight"]
        places = raw.data_ptr(), levels.data_ptr(), units.data_ptr(), label_weight.data_ptr()
        sources = places, self.training, self.damping, self.surrogate
        kernel = self._in_memory
        if kernel is None or kernel.sources != sources:
            arrays = [tensor.detach().numpy() for tensor in (raw, levels, units, label_weight)]
            kernel = self._in_memory = RateKernel.of(self.surrogate, self._state(*arrays), sources)
        return kernel

    def __getstate__(self) -> dict[str, Any]:
        """Without arrays that a copy would not share."""
        return {name: value for name, value in self.__dict__.items() if name != "_in_memory"}

    def _state(self, raw: AnyArray, levels: AnyArray, units: AnyArray, label_weight: FloatArray) -> RateState:
        """What the kernels read, and the label weights to which they add."""
        return RateState(
            raw,
            self.rates,
            levels,
            units,
            self._kinds,
            self.objective.shares(),
            self._class_weight,
            self._known_share,
            label_weight,
            self.training,
            self.damping,
            MAX_MULTIPLIER,
            MIN_SPLIT,
        )

    @torch.no_grad()
    def _start_missing(self, batch: RateBatch) -> None:
        batch.check_known()
        sides = batch.sides()
        weights, scores, y = sides.sum(1), *(columns(tensor).T for tensor in (batch.scores, batch.targets))
        has_both = (sides.sum(2) > 0).all(1)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            votes = has_both.to(torch.int32)  # replicas start together, from the mean of what each would start from
            torch.distributed.all_reduce(votes, op=torch.distributed.ReduceOp.MIN)
            has_both = votes > 0
        for c in torch.nonzero(has_both & ~self.started).flatten().tolist():
            self._start_class(c, scores[c], y[c], weights[c])
        self._all_started = bool(self.started.all())
        self._class_weight[:] = _host(self.started) / self.classes

    def _start_class(self, c: int, scores: torch.Tensor, y: torch.Tensor, weights: torch.Tensor) -> None:
        share = None if self.share is None else float(self.share[c])
        labels, sample_weight, values = (tensor.double().cpu().numpy() for tensor in (y, weights, scores))
        saddle = SaddlePoint(self.objective, labels, sample_weight, surrogate=self.surrogate, share=share).start(values)
        units = _multiplier_units(self.objective, saddle.levels, saddle.share)
        # Where no threshold meets the constraint, as with random weights, there is nothing to read λ off.
        multipliers = np.where(saddle.gradients(values).excesses < 0.01, saddle.multipliers, units)
        start = torch.tensor(np.stack([saddle.thresholds, multipliers, saddle.splits, saddle.levels, units]))
        start = start.float().to(scores.device)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.all_reduce(start)
            start /= torch.distributed.get_world_size()
        self.raw[0, c] = start[0] / self.threshold_rate
        self.raw[1, c] = start[1] / start[4] / self.multiplier_rate
        if self.objective.has_splits:
            self.raw[2, c] = start[2].log() / self.threshold_rate
        self.levels[c], self.units[c] = start[3], start[4]
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
        self._start_missing(RateBatch.of(logits.float(), targets, sample_weight, self.classes))
        return self

    def extra_repr(self) -> str:
        """Describe the loss for `print(net)`.

        Returns
        -------
        str
            The objective and its surrogate.
        """
        return f"{str(self.objective)!r}, surrogate={str(self.surrogate)!r}, classes={self.classes}"
