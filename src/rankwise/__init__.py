"""Train models on the ranking metric they are judged by, and judge any ranking exactly and fast.

>>> import rankwise as rw
>>> result = rw.evaluate(y=[2, 0, 1, 0], scores=[0.9, 0.8, 0.3, 0.1], metrics=["ndcg@10", "auc"])
>>> result["auc"]
0.75
"""

from rankwise.data import RankingData, read, write
from rankwise.errors import RankwiseError
from rankwise.metrics import Comparison, Evaluation, Metric, compare, evaluate, parse

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Evaluation",
    "Metric",
    "RankingData",
    "RankwiseError",
    "compare",
    "evaluate",
    "parse",
    "read",
    "write",
]
