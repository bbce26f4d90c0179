"""Rate losses by name: each a `RateLoss` of its metric, with all of `RateLoss`'s options."""

from __future__ import annotations

from typing import Any

from rankwise.losses._rate_loss import RateLoss
from rankwise.metrics import AUC, AUCPR, FBeta, PartialAUC, PartialAUCPR, PrecisionAtRecall, RecallAtPrecision, TPRAtFPR
from rankwise.objectives.rates._objective import DEFAULT_ANCHORS


class RecallAtPrecisionLoss(RateLoss):
    """The most recall at a precision of at least `precision`: Eban 2017 (6)."""

    def __init__(self, precision: float, **options: Any) -> None:
        super().__init__(RecallAtPrecision(precision), **options)


class PrecisionAtRecallLoss(RateLoss):
    """The most precision at a recall of at least `recall`: Eban 2017 (9)."""

    def __init__(self, recall: float, **options: Any) -> None:
        super().__init__(PrecisionAtRecall(recall), **options)


class TPRAtFPRLoss(RateLoss):
    """The highest true positive rate at a false positive rate of at most `rate`."""

    def __init__(self, rate: float, **options: Any) -> None:
        super().__init__(TPRAtFPR(rate), **options)


class AUCPRLoss(RateLoss):
    """Area under the precision-recall curve by anchors, for precisions between `low` and `high`: Eban 2017 (12)."""

    def __init__(self, anchors: int = DEFAULT_ANCHORS, low: float = 0.0, high: float = 1.0, **options: Any) -> None:
        whole = low == 0.0 and high == 1.0
        super().__init__(AUCPR() if whole else PartialAUCPR(low, high), anchors=anchors, **options)


class AUCROCLoss(RateLoss):
    """Area under the ROC curve by anchors, for false positive rates between `low` and `high` (Eban 2017 section 5)."""

    def __init__(self, anchors: int = DEFAULT_ANCHORS, low: float = 0.0, high: float = 1.0, **options: Any) -> None:
        whole = low == 0.0 and high == 1.0
        super().__init__(AUC() if whole else PartialAUC(low, high), anchors=anchors, **options)


class FBetaLoss(RateLoss):
    """The highest F_β: Eban 2017 (16)."""

    def __init__(self, beta: float = 1.0, **options: Any) -> None:
        super().__init__(FBeta(beta), **options)
