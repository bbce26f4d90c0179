"""How a metric becomes gradients or a program."""

from rankwise.objectives.custom import CustomLambda, LambdaFunction
from rankwise.objectives.diagnose import Diagnosis, diagnose
from rankwise.objectives.lambdas import LambdaObjective, lambda_gradients
from rankwise.objectives.linear_rates import LinearRates, linear_rates
from rankwise.objectives.position_bias import PositionBias
from rankwise.objectives.rates import RateObjective, rate_objective
from rankwise.objectives.saddle import SaddlePoint

__all__ = [
    "CustomLambda",
    "Diagnosis",
    "LambdaFunction",
    "LambdaObjective",
    "LinearRates",
    "PositionBias",
    "RateObjective",
    "SaddlePoint",
    "diagnose",
    "lambda_gradients",
    "linear_rates",
    "rate_objective",
]
