"""Linear rankers by the hinge of pairs."""

from rankwise.rankers.svm.aucsvm import AUCSVM
from rankwise.rankers.svm.ranksvm import RankSVM

__all__ = ["AUCSVM", "RankSVM"]
