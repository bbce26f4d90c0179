"""Choosing a model by rows that it was not trained on: cross-validation, tuning, and a ranker that chooses itself."""

from rankwise.selection._auto_ranker import AutoRanker
from rankwise.selection._cross_validate import CrossValidation, cross_validate
from rankwise.selection._leaderboard import Entry, Leaderboard
from rankwise.selection._portfolio import portfolio
from rankwise.selection._tune import tune
from rankwise.selection._tuning import Trial, Tuning

__all__ = [
    "AutoRanker",
    "CrossValidation",
    "Entry",
    "Leaderboard",
    "Trial",
    "Tuning",
    "cross_validate",
    "portfolio",
    "tune",
]
