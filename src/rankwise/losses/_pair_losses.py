"""Losses over pairs: any metric by its λ's (Burges 2006 section 4), and RankNet's cross entropy, Burges 2006 (8)."""

from __future__ import annotations

import numpy as np
import torch

from rankwise._docstrings import inherit_sections
from rankwise._validation import check_choice, check_whole
from rankwise.losses._batches import Batch, to_host
from rankwise.losses._pair_loss import Backend, PairLoss, Reduction
from rankwise.losses._ranked_factors import ranked_classes, ranked_factors
from rankwise.losses._torch_sums import pair_sums
from rankwise.metrics import Metric, parse
from rankwise.objectives import LambdaObjective
from rankwise.objectives.lambdas._costs import RankNetObjective, lambda_costs
from rankwise.objectives.lambdas._objective import Norm
from rankwise.objectives.lambdas._pair_sums import GAP


@inherit_sections(PairLoss)
class LambdaLoss(PairLoss):
    """The λ's of a metric as the gradient of a loss: `loss(scores, labels, qid_or_lengths).backward()`.

    As long as the ranking stays, the gradient is that of the value; the value jumps where the ranking changes, so watch
    the metric too (`report`). Metrics that take something from the whole data set (MAUC: shares of the classes) take it
    from the batch, unless the metric passed has it: `parse("mauc").for_labels(y)`.

    Parameters
    ----------
    metric : str or Metric, default="ndcg@10"
        The metric whose λ's are the gradient.
    norm : {"gap"} or None, default=None
        "gap" divides each |ΔM_ij| in the gradient by 0.01 + |s_i − s_j|; the value stays without.
    sigma : float, default=1.0
        Steepness of the pairs' logistic cost.
    random_state : int, default=0
        Fixes the shuffle by which equal scores are ranked.
    reduction : {"mean", "sum"}, default="mean"
        "mean" divides by the number of lists.
    {...}

    Notes
    -----
    The value is Σ |ΔM_ij| · log(1 + exp(−σ(s_i − s_j))) over pairs with label_i > label_j, ΔM_ij being the change of
    the metric when the two exchange places. Sums are made in double precision whatever the type of the scores, and the
    gradient has their type.

    Examples
    --------
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
        random_state: int = 0,
        reduction: Reduction = "mean",
        backend: Backend = "auto",
    ) -> None:
        super().__init__(parse(metric), sigma, reduction, backend)
        if norm is not None:
            check_choice("norm", norm, Norm)
        self.norm, self.random_state = norm, check_whole("random_state", random_state, 0, 2**63 - 1)

    def _sums(self, batch: Batch, scores: torch.Tensor, in_torch: bool) -> tuple[torch.Tensor, float, float]:
        groups, values = batch.groups, to_host(scores)
        objective = LambdaObjective(
            self.metric,
            batch.labels,
            groups.query_of_row(),
            norm=self.norm,
            sigma=self.sigma,
            sample_weight=batch.weight,
            random_state=self.random_state,
        )
        ranked = ranked_factors(objective, values) if in_torch else None
        if ranked is not None:
            gradient, cost = pair_sums(ranked, scores, self.sigma, None if self.norm is None else GAP)
            return gradient, float(cost), groups.n_queries
        gradient = torch.from_numpy(objective.gradients(values)[0]).to(scores.device)
        return gradient, float(np.sum(lambda_costs(objective, values))), groups.n_queries


@inherit_sections(PairLoss)
class RankNetLoss(PairLoss):
    """The cross entropy of all pairs of documents with different labels, in time linear in the documents.

    `report` has the share of pairs in order.

    Parameters
    ----------
    sigma : float, default=1.0
        Steepness of the pairs' logistic cost.
    reduction : {"mean", "sum"}, default="mean"
        "mean" divides by the number of pairs, so that equal scores cost log 2.
    {...}

    Notes
    -----
    The value is Σ log(1 + exp(−σ(s_i − s_j))) over pairs of one list with label_i > label_j, Burges 2006 (8).

    Examples
    --------
    >>> scores = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    >>> RankNetLoss()(scores, torch.tensor([2, 0, 1]), torch.tensor([3])).item()
    0.693...
    """

    def __init__(self, *, sigma: float = 1.0, reduction: Reduction = "mean", backend: Backend = "auto") -> None:
        super().__init__(parse("pairs"), sigma, reduction, backend)

    def _sums(self, batch: Batch, scores: torch.Tensor, in_torch: bool) -> tuple[torch.Tensor, float, float]:
        queries = batch.groups.query_of_row()
        objective = RankNetObjective(batch.labels, queries, sigma=self.sigma, sample_weight=batch.weight)
        ranked = ranked_classes(objective, to_host(scores)) if in_torch else None
        if ranked is not None:
            gradient, cost = pair_sums(ranked, scores, self.sigma, None)
            return gradient, float(cost), objective.pairs()
        by_scores, costs = objective.gradient_and_costs(to_host(scores))
        return torch.from_numpy(by_scores).to(scores.device), float(costs.sum()), objective.pairs()
