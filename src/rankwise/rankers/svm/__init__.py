"""Linear rankers by the hinge of pairs."""

from rankwise.rankers.svm.ranksvm import RankSVM

__all__ = ["RankSVM"]
