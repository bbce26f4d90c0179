"""Ranking metrics as PyTorch losses, for your own nets and loops."""

from rankwise.errors import need_extra

need_extra("torch", extra="torch")

from rankwise.losses._pair_losses import LambdaLoss, RankNetLoss  # noqa: E402
from rankwise.losses._rate_loss import RateLoss  # noqa: E402
from rankwise.losses._rate_losses import (  # noqa: E402
    AUCPRLoss,
    AUCROCLoss,
    FBetaLoss,
    PrecisionAtRecallLoss,
    RecallAtPrecisionLoss,
    TPRAtFPRLoss,
)

__all__ = [
    "AUCPRLoss",
    "AUCROCLoss",
    "FBetaLoss",
    "LambdaLoss",
    "PrecisionAtRecallLoss",
    "RankNetLoss",
    "RateLoss",
    "RecallAtPrecisionLoss",
    "TPRAtFPRLoss",
]
