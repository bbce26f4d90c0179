"""Rate losses by name: each a `RateLoss` of its metric, with all of `RateLoss`'s options."""

from __future__ import annotations

from typing import Unpack

from rankwise.losses._rate_loss import RateLoss, RateLossOptions
from rankwise.metrics import AUC, AUCPR, FBeta, PartialAUC, PartialAUCPR, PrecisionAtRecall, RecallAtPrecision, TPRAtFPR
from rankwise.objectives.rates._objective import DEFAULT_ANCHORS


class RecallAtPrecisionLoss(RateLoss):
    """The most recall at a precision of at least `precision`.

    Parameters
    ----------
    precision : float
        The precision to keep.
    **options : RateLossOptions
        Other parameters of `RateLoss`: surrogate, classes, share, threshold_rate, multiplier_rate, damping.

    See Also
    --------
    RateLoss : The loss of any objective, with all parameters explained.

    Notes
    -----
    Eban 2017 (6).
    """

    def __init__(self, precision: float, **options: Unpack[RateLossOptions]) -> None:
        super().__init__(RecallAtPrecision(precision), **options)


class PrecisionAtRecallLoss(RateLoss):
    """The most precision at a recall of at least `recall`.

    Parameters
    ----------
    recall : float
        The recall to keep.
    **options : RateLossOptions
        Other parameters of `RateLoss`: surrogate, classes, share, threshold_rate, multiplier_rate, damping.

    See Also
    --------
    RateLoss : The loss of any objective, with all parameters explained.

    Notes
    -----
    Eban 2017 (9).
    """

    def __init__(self, recall: float, **options: Unpack[RateLossOptions]) -> None:
        super().__init__(PrecisionAtRecall(recall), **options)


class TPRAtFPRLoss(RateLoss):
    """The highest true positive rate at a false positive rate of at most `rate`.

    Parameters
    ----------
    rate : float
        The false positive rate not to exceed.
    **options : RateLossOptions
        Other parameters of `RateLoss`: surrogate, classes, share, threshold_rate, multiplier_rate, damping.

    See Also
    --------
    RateLoss : The loss of any objective, with all parameters explained.

    Notes
    -----
    The Neyman-Pearson problem, by the bounds of Eban 2017 (2).
    """

    def __init__(self, rate: float, **options: Unpack[RateLossOptions]) -> None:
        super().__init__(TPRAtFPR(rate), **options)


class AUCPRLoss(RateLoss):
    """Area under the precision-recall curve, for precisions between `low` and `high`.

    Parameters
    ----------
    anchors : int, default=10
        Points of the curve that the area is summed over.
    low : float, default=0.0
        Precision from which the area counts.
    high : float, default=1.0
        Precision up to which the area counts.
    **options : RateLossOptions
        Other parameters of `RateLoss`: surrogate, classes, share, threshold_rate, multiplier_rate, damping.

    See Also
    --------
    RateLoss : The loss of any objective, with all parameters explained.

    Notes
    -----
    By anchors, Eban 2017 (12).
    """

    def __init__(
        self, anchors: int = DEFAULT_ANCHORS, low: float = 0.0, high: float = 1.0, **options: Unpack[RateLossOptions]
    ) -> None:
        whole = low == 0.0 and high == 1.0
        super().__init__(AUCPR() if whole else PartialAUCPR(low, high), anchors=anchors, **options)


class AUCROCLoss(RateLoss):
    """Area under the ROC curve, for false positive rates between `low` and `high`.

    Parameters
    ----------
    anchors : int, default=10
        Points of the curve that the area is summed over.
    low : float, default=0.0
        False positive rate from which the area counts.
    high : float, default=1.0
        False positive rate up to which the area counts.
    **options : RateLossOptions
        Other parameters of `RateLoss`: surrogate, classes, share, threshold_rate, multiplier_rate, damping.

    See Also
    --------
    RateLoss : The loss of any objective, with all parameters explained.

    Notes
    -----
    By anchors, Eban 2017 section 5.
    """

    def __init__(
        self, anchors: int = DEFAULT_ANCHORS, low: float = 0.0, high: float = 1.0, **options: Unpack[RateLossOptions]
    ) -> None:
        whole = low == 0.0 and high == 1.0
        super().__init__(AUC() if whole else PartialAUC(low, high), anchors=anchors, **options)


class FBetaLoss(RateLoss):
    """The highest F_β.

    Parameters
    ----------
    beta : float, default=1.0
        How many times more recall counts than precision.
    **options : RateLossOptions
        Other parameters of `RateLoss`: surrogate, classes, share, threshold_rate, multiplier_rate, damping.

    See Also
    --------
    RateLoss : The loss of any objective, with all parameters explained.

    Notes
    -----
    Eban 2017 (16).
    """

    def __init__(self, beta: float = 1.0, **options: Unpack[RateLossOptions]) -> None:
        super().__init__(FBeta(beta), **options)
