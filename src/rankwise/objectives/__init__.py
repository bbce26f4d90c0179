"""How a metric becomes gradients or a program."""

from rankwise.objectives.lambdas._custom import CustomLambda, LambdaFunction
from rankwise.objectives.lambdas._diagnose import Diagnosis, diagnose
from rankwise.objectives.lambdas._objective import LambdaObjective, lambda_gradients
from rankwise.objectives.lambdas._position_bias import PositionBias
from rankwise.objectives.rates._objective import RateObjective, rate_objective
from rankwise.objectives.rates.saddle._linear_rates import LinearRates, linear_rates
from rankwise.objectives.rates.saddle._saddle import SaddlePoint

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
