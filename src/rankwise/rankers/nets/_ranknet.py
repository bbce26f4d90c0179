"""RankNet: a net on the cross entropy of all pairs of documents (Burges 2006 section 5)."""

from __future__ import annotations

from typing import ClassVar

from rankwise._docstrings import fill_docstring
from rankwise.rankers.nets._base import NetRanker
from rankwise.rankers.nets._objectives import PairObjective, RankNetPairObjective
from rankwise.rankers.nets._plan import NetPlan


@fill_docstring(NetRanker)
class RankNet(NetRanker):
    """A net that learns which of two documents is the better one, for all pairs of a query; needs the extra `torch`.

    Labels may be any finite numbers (below 0: not judged), queries of any length, rows in any order; every feature must
    be known.

    Parameters
    ----------
    {Parameters}

    Attributes
    ----------
    {Attributes}

    See Also
    --------
    LambdaRank : A net on the λ-gradients of the metric.
    rankwise.losses.RankNetLoss : The same cost for your own net and loop.

    Notes
    -----
    The cost is Burges 2006 (8), log(1 + exp(−σ(s_i − s_j))) over pairs with label_i > label_j, and takes time linear in
    the documents; `metric` plays no part in it.

    References
    ----------
    {References}

    Examples
    --------
    >>> import rankwise.data
    >>> data = rankwise.data.cubic(queries=20, documents=20, features=5)
    >>> model = RankNet("ndcg@5", epochs=20, random_state=0).fit(data)
    >>> model.score(data) > 0.5
    True
    """

    kind: ClassVar[str] = "ranknet"

    def _pair_objective(self, plan: NetPlan) -> PairObjective:
        return RankNetPairObjective(float(self.sigma))
