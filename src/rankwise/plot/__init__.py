"""Pictures of models and of results: each function draws on axes and returns them, and leaves pyplot alone."""

from rankwise.plot._classes import calibration, precision_recall_threshold, score_histogram
from rankwise.plot._curves import gain, lift, pr_curves, roc_curves
from rankwise.plot._dependence import partial_dependence
from rankwise.plot._differences import differences
from rankwise.plot._importances import importances
from rankwise.plot._learning import learning_curve
from rankwise.plot._trade_off import trade_off
from rankwise.plot._waterfall import query_waterfall, waterfall

__all__ = [
    "calibration",
    "differences",
    "gain",
    "importances",
    "learning_curve",
    "lift",
    "partial_dependence",
    "pr_curves",
    "precision_recall_threshold",
    "query_waterfall",
    "roc_curves",
    "score_histogram",
    "trade_off",
    "waterfall",
]
