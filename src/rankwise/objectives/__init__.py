"""How a metric becomes gradients."""

from rankwise.objectives.lambdas import LambdaObjective, lambda_gradients

__all__ = ["LambdaObjective", "lambda_gradients"]
