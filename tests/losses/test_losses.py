"""Losses in torch: the λ's of the kernels, from any shape of batch, type and device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from rankwise.errors import DataError, RankwiseError, ShapeError
from rankwise.losses import LambdaLoss, RankNetLoss
from rankwise.metrics import Metric, evaluate
from rankwise.metrics._names import EXAMPLES
from rankwise.objectives import lambda_gradients
from rankwise.objectives.lambdas._costs import RankNetObjective


def made(rows=60, queries=4, grades=4, spread=1.0, offset=0.0, rounded=False, seed=0):
    rng = np.random.default_rng(seed)
    s = offset + spread * rng.normal(size=rows)
    scores = torch.tensor(np.round(s) if rounded else s)
    return scores, torch.tensor(rng.integers(0, grades, rows)), torch.tensor(rng.integers(0, queries, rows))


def graded(loss, scores, *batch, **weights):
    scores = scores.clone().requires_grad_()
    value = loss(scores, *batch, **weights)
    value.backward()
    return scores.grad, value


@pytest.mark.parametrize("backend", ["kernels", "torch"])
def test_the_gradient_is_minus_lambda(backend) -> None:
    s, y, q = made()
    for norm in (None, "gap"):
        found, _ = graded(LambdaLoss("ndcg@10", norm=norm, sigma=0.5, reduction="sum", backend=backend), s, y, q)
        exact, _ = lambda_gradients("ndcg@10", y, s, q, norm=norm, sigma=0.5)
        assert found.numpy() == pytest.approx(exact, abs=(1e-3 if norm else 1e-8) * np.abs(exact).max())
    found, value = graded(RankNetLoss(sigma=0.5, reduction="sum", backend=backend), s, y, q)
    gradient, costs = RankNetObjective(y, q, sigma=0.5).gradient_and_costs(s)
    assert found.numpy() == pytest.approx(gradient, abs=1e-8)
    assert value.item() == pytest.approx(costs.sum(), rel=1e-8)


SPREADS: dict[str, Any] = {
    "plain": {}, "ties": {"rounded": True}, "all equal": {"spread": 0.0}, "gaps of 1e-12": {"spread": 1e-12},
    "gaps of 1e4": {"spread": 1e4}, "offset of 1e6": {"offset": 1e6}, "two lists": {"queries": 2, "rows": 900},
}  # fmt: skip


@pytest.mark.parametrize("case", SPREADS)
@pytest.mark.parametrize("metric", ["ndcg@10", "auc", "map", "err@10", "mauc", "bpref", "ranknet"])
def test_torchs_own_sums_are_those_of_the_kernels(case, metric) -> None:
    s, y, q = made(**SPREADS[case])
    weight = torch.rand(s.numel(), generator=torch.Generator().manual_seed(0))
    loss = RankNetLoss if metric == "ranknet" else lambda **options: LambdaLoss(metric, **options)
    (kernels, value), (ours, again) = (
        graded(loss(backend=backend, sigma=1.3), s, y, q, sample_weight=weight) for backend in ("kernels", "torch")
    )
    assert torch.allclose(kernels, ours, rtol=0, atol=1e-6 * float(kernels.abs().max()))
    assert value.item() == pytest.approx(again.item(), rel=1e-8)


@pytest.mark.parametrize("metric", EXAMPLES)
def test_every_metric_is_a_loss(metric) -> None:
    s, y, q = made(grades=2)
    ours, _ = graded(LambdaLoss(metric, backend="torch"), s, y, q)
    kernels, _ = graded(LambdaLoss(metric), s, y, q)
    assert torch.allclose(kernels, ours, rtol=0, atol=1e-6 * float(kernels.abs().max()))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["kernels", "torch"])
def test_gradcheck(backend) -> None:
    s, y, q = made(rows=12, queries=2)
    s.requires_grad_()
    assert torch.autograd.gradcheck(lambda t: RankNetLoss(sigma=1.2, backend=backend)(t, y, q), s)
    # The λ's have a cost while the ranking stays, and so as far as a difference of 1e-6 goes.
    apart = (torch.randperm(12, generator=torch.Generator().manual_seed(0)).double() / 3).requires_grad_()
    for metric in ("ndcg@10", "map", "auc"):
        assert torch.autograd.gradcheck(lambda t, m=metric: LambdaLoss(m, backend=backend)(t, y, q), apart)


@pytest.mark.parametrize("loss", [LambdaLoss("ndcg@5"), RankNetLoss(), LambdaLoss("auc", backend="torch")])
def test_ragged_and_padded_batches_are_the_same(loss) -> None:
    s, y, _ = made(rows=9)
    lengths = torch.tensor([4, 2, 3])
    by_length, value = graded(loss, s, y, lengths)
    qid = torch.tensor([5, 5, 5, 5, 0, 0, 9, 9, 9])
    by_qid, _ = graded(loss, s, y, qid)
    assert torch.equal(by_length, by_qid)
    apart = torch.tensor([8, 0, 1, 4, 2, 3, 7, 6, 5])
    assert torch.allclose(graded(loss, s[apart], y[apart], qid[apart])[0], by_qid[apart])
    mask = torch.arange(4) < lengths[:, None]
    scores, labels = torch.full((3, 4), 99.0).double(), torch.full((3, 4), float("nan")).double()
    scores[mask], labels[mask] = s, y.double()
    for second in (None, lengths):
        padded, again = graded(loss, scores, labels, second)
        assert torch.equal(padded[mask], by_length)
        assert not padded[~mask].any()
        assert again.item() == value.item()
    with_empty, _ = graded(loss, torch.cat([scores, scores[:1]]), torch.cat([labels, labels[:1] * float("nan")]))
    assert torch.equal(with_empty[:3], padded)
    per_list, per_row = torch.tensor([1.0, 0.0, 4.0]), torch.rand(9)
    flat, _ = graded(loss, s, y, lengths, query_weight=per_list)
    assert not flat[4:6].any()
    assert torch.equal(graded(loss, scores, labels, lengths, query_weight=per_list)[0][mask], flat)
    padded_weight = torch.zeros(3, 4)
    padded_weight[mask] = per_row
    by_row: dict[str, Any] = {"sample_weight": per_row}
    of_padded, _ = graded(loss, scores, labels, lengths, sample_weight=padded_weight)
    assert torch.equal(of_padded[mask], graded(loss, s, y, lengths, **by_row)[0])
    both, _ = graded(loss, s, y, lengths, query_weight=per_list, **by_row)
    roots = torch.sqrt(per_list.double())[torch.tensor([0] * 4 + [1] * 2 + [2] * 3)]
    assert torch.equal(both, graded(loss, s, y, lengths, sample_weight=per_row.double() * roots)[0])


@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_types(kind) -> None:
    s, y, q = made()
    s = s.to(kind)
    for loss in (LambdaLoss("ndcg@10"), RankNetLoss()):
        gradient, value = graded(loss, s, y, q)
        exact, _ = graded(loss, s.double(), y, q)
        assert gradient.dtype == kind
        assert value.dtype == (kind if kind.itemsize >= 4 else torch.float32)
        assert torch.equal(gradient, exact.to(kind))


def test_autocast() -> None:
    net = torch.nn.Linear(5, 1)
    X, (_, y, q) = torch.randn(60, 5, generator=torch.Generator().manual_seed(0)), made()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = net(X).squeeze(1)
        assert scores.dtype == torch.bfloat16
        value = LambdaLoss("auc")(scores, y, q)
    value.backward()
    assert net.weight.grad.dtype == torch.float32  # type: ignore[union-attr]
    assert net.weight.grad.abs().max() > 0  # type: ignore[union-attr]


def test_scores_of_doubles_are_read_in_place(monkeypatch) -> None:
    s, y, q = made()
    seen = []
    monkeypatch.setattr(
        "rankwise.losses._pair_losses.RankNetObjective.gradient_and_costs",
        lambda self, scores: (seen.append(scores), (np.zeros(scores.size), np.zeros(1)))[1],  # type: ignore[func-returns-value]
    )
    RankNetLoss()(s, y, q)
    assert np.shares_memory(seen[0], s.numpy())


def test_the_report_has_cost_and_metric() -> None:
    s, y, q = made()
    loss = LambdaLoss("ndcg@3")
    with pytest.raises(DataError, match="no batch to report"):
        loss.report()
    value = loss(s, y, q)
    assert loss.report() == {"cost": value.item(), "ndcg@3": evaluate(y, s, q, "ndcg@3")["ndcg@3"]}
    RankNetLoss()(s, y, q)
    assert str(loss) == "LambdaLoss('ndcg@3', sigma=1, reduction='mean')"


@pytest.mark.slow
@pytest.mark.parametrize("loss", [LambdaLoss("ndcg@10", reduction="sum"), RankNetLoss(reduction="sum")])
def test_a_net_learns(loss) -> None:
    torch.manual_seed(0)
    X = torch.randn(400, 5)
    y, q = (X[:, 0] * X[:, 1] > 0.3).long() + (X[:, 2] > 1).long(), torch.arange(400) // 20
    net = torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    reports = []
    for _ in range(80):
        optimizer.zero_grad()
        loss(net(X).squeeze(1), y, q).backward()
        optimizer.step()
        reports.append(loss.report())
    name = str(loss.metric)
    assert reports[-1]["cost"] < 0.6 * reports[0]["cost"]
    assert reports[-1][name] > reports[0][name] + 0.15


def test_gradients_are_scaled_by_what_comes_after() -> None:
    s, y, q = made()
    s.requires_grad_()
    loss = LambdaLoss("auc")
    (3.0 * loss(s, y, q)).backward()
    assert torch.allclose(s.grad, 3.0 * graded(loss, s.detach(), y, q)[0])


@pytest.mark.parametrize("name", ["no factors", "many grades", "many grades, ranknet"])
def test_what_torch_cannot_sum_in_linear_time_goes_by_the_kernels(name) -> None:
    class FirstLabel(Metric):
        def _value(self, ranked, ideal):
            return float(ranked[0])

    loss: Any = {"no factors": FirstLabel(), "many grades": "ndcg[linear]"}.get(name)
    s, _, q = made(rows=150)
    y = torch.arange(150) % (3 if name == "no factors" else 100)
    ours, kernels = (
        graded(RankNetLoss(backend=backend) if loss is None else LambdaLoss(loss, backend=backend), s, y, q)[0]
        for backend in ("torch", "kernels")
    )
    assert kernels.abs().max() > 0
    assert torch.equal(ours, kernels)


BAD = [
    (lambda s, y, q: LambdaLoss("auc")(s, y[:5], q), "labels must have the shape"),
    (lambda s, y, q: LambdaLoss("auc")(s, y, torch.tensor([20, 39])), "add up"),
    (lambda s, y, q: LambdaLoss("auc")(s.reshape(3, 4, 5), y.reshape(3, 4, 5), None), "3 dimensions"),
    (lambda s, y, q: LambdaLoss("auc")(s.reshape(6, 10), y.reshape(6, 10), torch.tensor([11] * 6)), "lengths must"),
    (lambda s, y, q: LambdaLoss("auc")(s.reshape(6, 10), y.reshape(6, 10), query_weight=torch.ones(5)), "per list"),
    (lambda s, y, q: LambdaLoss("auc")(s.reshape(6, 10), y.reshape(6, 10), sample_weight=torch.ones(6)), "per score"),
    (lambda s, y, q: LambdaLoss("auc")(s.reshape(6, 10), s.reshape(6, 10) * torch.nan, None), "all of 6 lists"),
    (lambda s, y, q: LambdaLoss("auc")(s, y, q, sample_weight=torch.ones(7)), "sample_weight must have one entry"),
    (lambda s, y, q: LambdaLoss("auc")(s, y, q, query_weight=torch.ones(60)), "query_weight must have one entry"),
    (lambda s, y, q: LambdaLoss("auc")(s, y, q, query_weight=-torch.ones(4)), "query_weight must be 0 or more"),
    (lambda s, y, q: LambdaLoss("auc")(y, y, q), "floating-point"),
    (lambda s, y, q: LambdaLoss("auc")(s / 0, y, q), "scores must be finite"),
    (lambda s, y, q: LambdaLoss("acu"), "acu"),
    (lambda s, y, q: RankNetLoss(sigma=-1), "sigma must be"),
    (lambda s, y, q: RankNetLoss(backend="cuda"), "backend must be"),  # type: ignore[arg-type]
    (lambda s, y, q: RankNetLoss(reduction="none"), "reduction must be"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_does_not_fit_is_said(call, message) -> None:
    with pytest.raises(RankwiseError, match=message):
        call(*made())


def test_nothing_to_learn_is_no_gradient() -> None:
    s, y, q = made()
    gradient, value = graded(RankNetLoss(), s, torch.zeros_like(y), q)
    assert (value.item(), gradient.abs().max().item()) == (0.0, 0.0)
    with pytest.raises(ShapeError):
        RankNetLoss()(s, y, q.reshape(2, 30))
