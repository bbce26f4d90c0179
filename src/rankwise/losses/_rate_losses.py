"""Rate losses by name: each a `RateLoss` of its metric, with all of `RateLoss`'s options."""

from __future__ import annotations

from typing import ClassVar, Unpack

from rankwise._docstrings import inherit_sections
from rankwise._validation import check_real
from rankwise.losses._rate_loss import RateLoss, RateLossOptions
from rankwise.metrics import AUC, AUCPR, FBeta, PartialAUC, PartialAUCPR, PrecisionAtRecall, RecallAtPrecision, TPRAtFPR
from rankwise.objectives.rates._objective import DEFAULT_ANCHORS


@inherit_sections(RateLossOptions)
class RecallAtPrecisionLoss(RateLoss):
    """The most recall at a precision of at least `precision`, Eban 2017 (6).

    Parameters
    ----------
    precision : float
        The precision to keep.
    {...}
    """

    def __init__(self, precision: float, **options: Unpack[RateLossOptions]) -> None:
        super().__init__(RecallAtPrecision(precision), **options)


@inherit_sections(RateLossOptions)
class PrecisionAtRecallLoss(RateLoss):
    """The most precision at a recall of at least `recall`, Eban 2017 (9).

    The bounds of the positives' losses are far above their counts at a high recall, so a net that is trained by this
    loss from random weights ranks worse than by cross entropy: train it by cross entropy first, then go on with this
    loss after `start`.

    Parameters
    ----------
    recall : float
        The recall to keep.
    {...}
    """

    def __init__(self, recall: float, **options: Unpack[RateLossOptions]) -> None:
        super().__init__(PrecisionAtRecall(recall), **options)


@inherit_sections(RateLossOptions)
class TPRAtFPRLoss(RateLoss):
    """The highest true positive rate at a false positive rate of at most `rate`.

    The Neyman-Pearson problem, by the bounds of Eban 2017 (2).

    Parameters
    ----------
    rate : float
        The false positive rate not to exceed.
    {...}
    """

    def __init__(self, rate: float, **options: Unpack[RateLossOptions]) -> None:
        super().__init__(TPRAtFPR(rate), **options)


class _AreaLoss(RateLoss):
    """The area under a curve, or a part of it."""

    area: ClassVar[type[AUC | AUCPR]]
    partial_area: ClassVar[type[PartialAUC | PartialAUCPR]]

    def __init__(
        self, anchors: int = DEFAULT_ANCHORS, low: float = 0.0, high: float = 1.0, **options: Unpack[RateLossOptions]
    ) -> None:
        low, high = check_real("low", low, 0.0, 1.0), check_real("high", high, 0.0, 1.0)
        metric = self.area() if (low, high) == (0.0, 1.0) else self.partial_area(low, high)
        super().__init__(metric, anchors=anchors, **options)


@inherit_sections(RateLossOptions)
class AUCPRLoss(_AreaLoss):
    """Area under the precision-recall curve, for precisions between `low` and `high`, by anchors: Eban 2017 (12).

    Parameters
    ----------
    anchors : int, default=10
        Points of the curve that the area is summed over.
    low : float, default=0.0
        Precision from which the area counts.
    high : float, default=1.0
        Precision up to which the area counts.
    {...}
    """

    area, partial_area = AUCPR, PartialAUCPR


@inherit_sections(RateLossOptions)
class AUCROCLoss(_AreaLoss):
    """Area under the ROC curve, for false positive rates between `low` and `high`, by anchors: Eban 2017 section 5.

    Parameters
    ----------
    anchors : int, default=10
        Points of the curve that the area is summed over.
    low : float, default=0.0
        False positive rate from which the area counts.
    high : float, default=1.0
        False positive rate up to which the area counts.
    {...}
    """

    area, partial_area = AUC, PartialAUC


@inherit_sections(RateLossOptions)
class FBetaLoss(RateLoss):
    """The highest F_β, Eban 2017 (16).

    Parameters
    ----------
    beta : float, default=1.0
        How many times more recall counts than precision.
    {...}
    """

    def __init__(self, beta: float = 1.0, **options: Unpack[RateLossOptions]) -> None:
        super().__init__(FBeta(beta), **options)
