"""Linear rankers by the hinge of pairs."""

from rankwise.rankers.pairs.svm._aucsvm import AUCSVM
from rankwise.rankers.pairs.svm._ranksvm import RankSVM

__all__ = ["AUCSVM", "RankSVM"]
