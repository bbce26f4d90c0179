"""Choosing a model by rows that it was not trained on: cross-validation, tuning, and a ranker that chooses itself."""

from rankwise.selection._cross_validate import CrossValidation, cross_validate

__all__ = ["CrossValidation", "cross_validate"]
