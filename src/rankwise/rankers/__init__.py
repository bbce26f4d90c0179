"""Estimators that learn to rank."""

from rankwise.rankers.lambdamart import LambdaMART
from rankwise.rankers.lambdarank import LambdaRank
from rankwise.rankers.margin.margin_ranker import MarginRanker
from rankwise.rankers.ranknet import RankNet
from rankwise.rankers.rates.classifier import RateClassifier
from rankwise.rankers.stumps.rankboost import RankBoost
from rankwise.rankers.stumps.softrankboost import SoftRankBoost
from rankwise.rankers.svm import AUCSVM, RankSVM

__all__ = [
    "AUCSVM",
    "LambdaMART",
    "LambdaRank",
    "MarginRanker",
    "RankBoost",
    "RankNet",
    "RankSVM",
    "RateClassifier",
    "SoftRankBoost",
]
