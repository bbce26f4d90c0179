"""Estimators that are trained on a ranking metric."""
