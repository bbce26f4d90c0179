"""RankNetLoss: the cross entropy of all pairs of documents with different labels, Burges 2006 (8), in linear time."""

from __future__ import annotations

import torch

from rankwise.losses._batches import Batch, on_host
from rankwise.losses._pair_loss import Backend, PairLoss, Reduction
from rankwise.losses._ranked_factors import ranked_classes
from rankwise.losses._torch_sums import pair_sums
from rankwise.metrics import parse
from rankwise.objectives.lambdas._costs import RankNetObjective


class RankNetLoss(PairLoss):
    """Σ log(1 + exp(−σ(s_i − s_j))) over pairs of one list with label_i > label_j, in time linear in the documents.

    "mean" divides by the number of pairs, so that equal scores cost log 2. `report` has the share of pairs in order.

    >>> scores = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    >>> RankNetLoss()(scores, torch.tensor([2, 0, 1]), torch.tensor([3])).item()
    0.693...
    """

    def __init__(self, *, sigma: float = 1.0, reduction: Reduction = "mean", backend: Backend = "auto") -> None:
        super().__init__(parse("pairs"), sigma, reduction, backend)

    def _sums(self, batch: Batch, scores: torch.Tensor, in_torch: bool) -> tuple[torch.Tensor, float, float]:
        queries = batch.groups.query_of_row()
        objective = RankNetObjective(batch.labels, queries, sigma=self.sigma, weight=batch.weight)
        ranked = ranked_classes(objective, on_host(scores)) if in_torch else None
        if ranked is not None:
            gradient, costs = pair_sums(ranked, scores, self.sigma, None)
            return gradient, float(costs), objective.pairs()
        found, of_queries = objective.gradient_and_costs(on_host(scores))
        return torch.from_numpy(found).to(scores.device), float(of_queries.sum()), objective.pairs()
