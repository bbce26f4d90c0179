"""Estimators that learn to rank, and what a ranker of your own derives from."""

from rankwise.rankers._base import Ranker, SavableModel, SavedModel
from rankwise.rankers._explanation import Contribution, Explanation
from rankwise.rankers._features import as_features
from rankwise.rankers.nets._lambdarank import LambdaRank
from rankwise.rankers.nets._ranknet import RankNet
from rankwise.rankers.pairs.margin._margin_ranker import MarginRanker
from rankwise.rankers.pairs.stumps._rankboost import RankBoost
from rankwise.rankers.pairs.stumps._smoothrankboost import SmoothRankBoost
from rankwise.rankers.pairs.svm import AUCSVM, RankSVM
from rankwise.rankers.rates._classifier import RateClassifier
from rankwise.rankers.trees._lambdamart import LambdaMART

__all__ = [
    "AUCSVM",
    "Contribution",
    "Explanation",
    "LambdaMART",
    "LambdaRank",
    "MarginRanker",
    "RankBoost",
    "RankNet",
    "RankSVM",
    "Ranker",
    "RateClassifier",
    "SavableModel",
    "SavedModel",
    "SmoothRankBoost",
    "as_features",
]
