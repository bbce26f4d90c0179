"""Ranking metrics as PyTorch losses, for your own nets and loops."""

from rankwise.errors import MissingExtraError

try:
    import torch  # noqa: F401
except ModuleNotFoundError as problem:
    if problem.name != "torch":
        raise
    raise MissingExtraError("torch", "torch") from None

from rankwise.losses.lambda_loss import LambdaLoss
from rankwise.losses.ranknet_loss import RankNetLoss

__all__ = ["LambdaLoss", "RankNetLoss"]
