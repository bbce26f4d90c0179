"""How a metric becomes gradients."""

from rankwise.objectives.custom import CustomLambda, LambdaFunction
from rankwise.objectives.diagnose import Diagnosis, diagnose
from rankwise.objectives.lambdas import LambdaObjective, lambda_gradients

__all__ = ["CustomLambda", "Diagnosis", "LambdaFunction", "LambdaObjective", "diagnose", "lambda_gradients"]
