"""LambdaLoss: any metric as a loss (Burges 2006 section 4)."""

from __future__ import annotations

import numpy as np
import torch

from rankwise.losses._batches import Batch, on_host
from rankwise.losses._pair_loss import Backend, PairLoss, Reduction
from rankwise.losses._ranked_factors import ranked_factors
from rankwise.losses._torch_sums import pair_sums
from rankwise.metrics import Metric, parse
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._costs import lambda_costs
from rankwise.objectives.lambdas._objective import Norm
from rankwise.objectives.lambdas._pair_sums import GAP


class LambdaLoss(PairLoss):
    """The λ's of a metric as the gradient of a loss: `loss(scores, labels, qid_or_lengths).backward()`.

    Its value is Σ |ΔM_ij| · log(1 + exp(−σ(s_i − s_j))) over pairs with label_i > label_j, ΔM_ij being the change of
    the metric when the two exchange places; "mean" divides it by the number of lists. As long as the
    ranking stays, the gradient is that of the value; the value jumps where the ranking changes, so watch the metric too
    (`report`). `norm="gap"` divides each |ΔM_ij| in the gradient by 0.01 + |s_i − s_j|; the value stays without.
    Equal scores are ranked by a shuffle that `seed` fixes. Metrics that take something from the whole data set (MAUC:
    shares of the classes) take it from the batch, unless the metric given has it: `parse("mauc").for_labels(y)`.

    >>> scores = torch.tensor([0.2, 0.5, 0.1], requires_grad=True)
    >>> loss = LambdaLoss("ndcg@10")
    >>> loss(scores, torch.tensor([2, 0, 1]), torch.tensor([7, 7, 7])).backward()
    >>> scores.grad
    tensor([-0.2094,  0.2576, -0.0482])
    >>> loss.report()
    {'cost': 0.432..., 'ndcg@10': 0.659...}
    """

    def __init__(
        self,
        metric: str | Metric = "ndcg@10",
        *,
        norm: Norm | None = None,
        sigma: float = 1.0,
        seed: int = 0,
        reduction: Reduction = "mean",
        backend: Backend = "auto",
    ) -> None:
        super().__init__(parse(metric), sigma, reduction, backend)
        self.norm, self.seed = norm, seed

    def _sums(self, batch: Batch, scores: torch.Tensor, in_torch: bool) -> tuple[torch.Tensor, float, float]:
        groups, values = batch.groups, on_host(scores)
        objective = LambdaObjective(
            self.metric,
            batch.labels,
            groups.query_of_row(),
            norm=self.norm,
            sigma=self.sigma,
            weight=batch.weight,
            seed=self.seed,
        )
        ranked = ranked_factors(objective, values) if in_torch else None
        if ranked is not None:
            gap = None if self.norm is None else GAP
            gradient, costs = pair_sums(ranked, scores, self.sigma, gap)
            return gradient, float(costs), groups.n_queries
        gradient = torch.from_numpy(objective.gradients(values)[0]).to(scores.device)
        return gradient, float(np.sum(lambda_costs(objective, values))), groups.n_queries
