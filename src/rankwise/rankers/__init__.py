"""Estimators that learn to rank."""

from rankwise.rankers.lambdamart import LambdaMART

__all__ = ["LambdaMART"]
