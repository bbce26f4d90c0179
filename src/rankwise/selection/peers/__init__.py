"""Rankers of other libraries as candidates: LightGBM, scikit-learn, and XGBoost and CatBoost where installed."""

from rankwise.selection.peers._catboost import CatBoostRanker
from rankwise.selection.peers._lightgbm import LightGBMRanker
from rankwise.selection.peers._logistic import LogisticRanker
from rankwise.selection.peers._xgboost import XGBoostRanker

__all__ = ["CatBoostRanker", "LightGBMRanker", "LogisticRanker", "XGBoostRanker"]
