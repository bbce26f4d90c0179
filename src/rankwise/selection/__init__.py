"""Choosing a model by rows that it was not trained on: cross-validation, tuning, and a ranker that chooses itself."""

from rankwise.selection._cross_validate import CrossValidation, cross_validate
from rankwise.selection._tune import tune
from rankwise.selection._tuning import Trial, Tuning

__all__ = ["CrossValidation", "Trial", "Tuning", "cross_validate", "tune"]
