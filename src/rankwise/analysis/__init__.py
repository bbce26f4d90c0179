"""What a model's training came to: the trade-off between two metrics, and whether it ended at a local optimum."""

from rankwise.analysis._held_out import HeldOutImprovement
from rankwise.analysis._local_optimum import local_optimum
from rankwise.analysis._local_optimum_result import LocalOptimum
from rankwise.analysis._trade_off import trade_off
from rankwise.analysis._trade_off_result import TradeOff

__all__ = ["HeldOutImprovement", "LocalOptimum", "TradeOff", "local_optimum", "trade_off"]
