"""Rate losses in torch: the numpy saddle point's value and gradients, for any batch, type and optimizer."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from torch import nn

from rankwise.errors import DataError, MetricError, ShapeError
from rankwise.losses import (
    AUCPRLoss,
    AUCROCLoss,
    FBetaLoss,
    PrecisionAtRecallLoss,
    RateLoss,
    RecallAtPrecisionLoss,
    TPRAtFPRLoss,
)
from rankwise.losses._autograd import with_gradients
from rankwise.objectives import SaddlePoint, linear_rates
from rankwise.objectives.rates.saddle._surrogates import Hinge

NAMES = "r@p=0.75 p@r=0.6 tpr@fpr=0.2 f2 aucpr auc".split()
SUM = "0.5*r@p=0.8 + 0.5*aucpr + 0.2*f2"


def made(n=200, gap=2.0, share=0.3, seed=0, d=3):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(float)
    X = rng.normal(size=(n, d))
    X[:, 0] += gap * y
    return torch.tensor(X), torch.tensor(y)


def gradients(loss, scores, y, weight=None):
    scores = scores.clone().requires_grad_()
    loss.zero_grad()
    value = loss(scores, y, weight)
    value.backward()
    return value.item(), scores.grad


@pytest.mark.parametrize("surrogate", ["hinge", "smooth-hinge", "log2", "ramp"])
@pytest.mark.parametrize("name", [*NAMES, SUM])
@pytest.mark.parametrize("share", [None, 0.2])
def test_it_is_the_saddle_point_of_numpy(name, surrogate, share) -> None:
    X, y = made()
    s, weight = X[:, 0], torch.rand(len(y), generator=torch.Generator().manual_seed(0)).double()
    known = SaddlePoint(name, y, weight, surrogate=surrogate, share=share).start(s)
    loss = RateLoss(name, surrogate=surrogate, share=share).double()
    value, by_scores = gradients(loss, s, y, weight)
    assert loss.thresholds[0] == pytest.approx(known.thresholds, abs=1e-5)
    known.thresholds, known.multipliers = loss.thresholds[0], loss.multipliers[0]
    known.levels = loss.levels[0].numpy()
    known.splits = loss.splits[0] if loss.splits is not None else known.splits
    at = known.gradients(s)
    assert value == pytest.approx(at.value, rel=1e-9, abs=1e-9)
    assert by_scores.numpy() == pytest.approx(at.scores, abs=1e-9)
    assert loss.raw.grad[0, 0].numpy() == pytest.approx(at.thresholds, abs=1e-9)  # type: ignore[index]
    free = (known.multipliers > 0) | (at.excesses > 0)
    by_multipliers = -known.objective.shares() * at.excesses * free * loss.units[0].numpy()
    assert loss.raw.grad[1, 0].numpy() == pytest.approx(by_multipliers, abs=1e-9)  # type: ignore[index]


@pytest.mark.parametrize("weights", ["none", "rows", "classes"])
@pytest.mark.parametrize("name", [*NAMES, SUM])
@pytest.mark.parametrize("surrogate", ["hinge", "smooth-hinge", "log2", "ramp[0.7]", "sigmoid[0.5]"])
def test_the_kernel_gives_what_torch_gives(name, surrogate, weights, monkeypatch) -> None:
    """What runs on other devices, run here."""
    X, _ = made()
    targets = (X > 0.5).double()
    weight = torch.rand(X.shape, generator=torch.Generator().manual_seed(0)).double()
    weight = {"none": None, "rows": weight[:, 0], "classes": weight}[weights]  # type: ignore[assignment]
    loss, again = (RateLoss(name, surrogate=surrogate, classes=3, damping=0.5).double() for _ in range(2))
    value, by_scores = gradients(loss, X, targets, weight)
    monkeypatch.setattr("rankwise.losses._rate_loss.has_kernel", lambda *anything: False)
    other, by_torch = gradients(again, X, targets, weight)
    assert value == pytest.approx(other, rel=1e-12)
    assert torch.allclose(by_scores, by_torch, atol=1e-12)
    assert torch.allclose(loss.raw.grad, again.raw.grad, atol=1e-12)  # type: ignore[arg-type]
    assert torch.equal(loss.label_weight, again.label_weight)


@pytest.mark.parametrize("surrogate", ["hinge", "log2", "sigmoid"])
def test_far_scores_keep_finite_losses(surrogate, monkeypatch) -> None:
    """Where an exponential would overflow."""
    X, y = made()
    loss, again = (AUCPRLoss(4, surrogate=surrogate).double() for _ in range(2))
    for one in (loss, again):
        one.start(X[:, 0], y)
    value, by_scores = gradients(loss, 900.0 * X[:, 0], y)
    monkeypatch.setattr("rankwise.losses._rate_loss.has_kernel", lambda *anything: False)
    other, by_torch = gradients(again, 900.0 * X[:, 0], y)
    assert np.isfinite(value)
    assert value == pytest.approx(other, rel=1e-12)
    assert torch.allclose(by_scores, by_torch, atol=1e-12)


def test_what_is_not_known_is_refused_and_not_counted() -> None:
    X, y = made()
    loss = RecallAtPrecisionLoss(0.8).double()
    gradients(loss, X[:, 0], y)
    before = loss.label_weight.clone()
    unknown = torch.full_like(y, torch.nan)
    with pytest.raises(DataError, match="targets"):
        loss(X[:, 0], unknown)
    with pytest.raises(DataError, match="sample_weight"):
        loss(X[:, 0], y, unknown)
    with pytest.raises(ShapeError, match="sample_weight"):
        loss(X[:, 0], y, y[:5])
    assert torch.equal(loss.label_weight, before)
    assert np.isnan(loss(unknown, y).item())  # a net that diverged is no error of the labels


def test_a_copy_or_a_moved_loss_reads_its_own_parameters() -> None:
    X, y = made()
    loss = AUCPRLoss(4)
    gradients(loss, X[:, 0], y)
    for other in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss).double()):
        before = gradients(loss.eval(), X[:, 0], y)[0]
        with torch.no_grad():
            other.eval().raw[0] += 0.1
        assert gradients(loss, X[:, 0], y)[0] == before
        moved = gradients(other, X[:, 0], y)[0]
        assert moved != before
        other.raw.data = loss.raw.data.clone().to(other.raw)
        assert gradients(other, X[:, 0], y)[0] == pytest.approx(before)


def test_what_is_set_between_steps_counts_at_once() -> None:
    X, y = made()
    loss, once = AUCPRLoss(4, damping=2.0), AUCPRLoss(4)
    for one in (loss, once):
        gradients(one, X[:, 0], y)
    loss.damping, loss.surrogate = once.damping, Hinge()
    once.surrogate = Hinge()
    assert gradients(loss, X[:, 0], y)[0] == gradients(once, X[:, 0], y)[0]
    before = loss.label_weight.clone()
    gradients(loss.eval(), X[:, 0], y)
    assert torch.equal(loss.label_weight, before)
    gradients(loss.train(), X[:, 0], y)
    assert (loss.label_weight > before).all()
    with torch.no_grad():
        loss.units *= 2.0  # in the same memory
        once.units.data = 2.0 * once.units  # in memory of its own
    assert gradients(loss, X[:, 0], y)[0] == gradients(once.eval(), X[:, 0], y)[0]


@pytest.mark.parametrize("weights", ["none", "rows", "column", "classes"])
def test_memory_may_be_laid_out_in_any_way(weights) -> None:
    """Transposed, with gaps, or with a history: all are read row by row."""
    X, _ = made()
    targets = (X > 0.5).double()
    weight = torch.rand(X.shape, generator=torch.Generator().manual_seed(0)).double()
    weight = {"none": None, "rows": weight[:, 0], "column": weight[:, :1], "classes": weight}[weights]  # type: ignore[assignment]
    loss, again = (RateLoss("aucpr", classes=3).double() for _ in range(2))
    value, by_scores = gradients(loss, X, targets, weight)
    gaps = torch.stack([X, X], 2)[:, :, 0]
    of_targets = targets.T.contiguous().T.requires_grad_()
    of_weight = None if weight is None else torch.stack([weight, weight], -1)[..., 0].requires_grad_()
    other, by_gaps = gradients(again, gaps, of_targets, of_weight)
    assert not gaps.is_contiguous()
    assert not of_targets.is_contiguous()
    assert value == other
    assert torch.equal(by_scores, by_gaps)
    assert of_targets.grad is None


def test_scores_beyond_single_precision_have_an_infinite_loss() -> None:
    X, y = made()
    loss = RecallAtPrecisionLoss(0.8, surrogate="hinge")
    gradients(loss, X[:, 0].float(), y)
    with torch.no_grad():
        loss.raw[1] = 1e6
    assert loss(-3e38 * (2.0 * y.float() - 1.0), y).item() == np.inf


def test_two_halves_of_a_gradient_are_the_whole() -> None:
    X, y = made()
    for kind in (torch.float32, torch.float64, torch.bfloat16):
        loss = AUCPRLoss(4).double()
        gradients(loss, X[:, 0], y)
        loss.eval()
        _, plain = gradients(loss, X[:, 0].to(kind), y)
        of_raw = loss.raw.grad.clone()  # type: ignore[union-attr]
        scores = X[:, 0].to(kind).requires_grad_()
        loss.zero_grad()
        value = loss(scores, y)
        (0.5 * value).backward(retain_graph=True)
        (0.5 * value).backward()
        assert torch.equal(scores.grad, plain)
        assert torch.equal(loss.raw.grad, of_raw)  # type: ignore[arg-type]


def test_transforms_of_functions_are_refused() -> None:
    """Gradients that were computed along with a value are none to `torch.func`."""
    scores = torch.zeros(3)
    for transform in (torch.func.grad, torch.func.vmap):
        with pytest.raises(RuntimeError, match=r"functorch|vmap"):
            transform(lambda s: with_gradients(torch.tensor(1.0), (s,), (torch.ones(3),)))(scores)


def test_second_derivatives_are_refused() -> None:
    X, y = made()
    scores = X[:, 0].clone().requires_grad_()
    (first,) = torch.autograd.grad(AUCPRLoss(4)(scores, y) ** 2, scores, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


@pytest.mark.parametrize("damping", [0.0, 2.0])
@pytest.mark.parametrize("name", [*NAMES, SUM])
def test_gradcheck(name, damping) -> None:
    X, y = made(n=12, share=0.5)
    loss = RateLoss(name, surrogate="log2", anchors=3, share=0.4, damping=damping).double()
    loss(X[:, 0], y)
    loss.eval()
    assert torch.autograd.gradcheck(lambda s: loss(s, y), X[:, 0].clone().requires_grad_())


def test_shapes_are_those_of_the_cross_entropy() -> None:
    X, y = made()
    flat = gradients(RecallAtPrecisionLoss(0.8), X[:, 0], y)
    column = gradients(RecallAtPrecisionLoss(0.8), X[:, :1], y[:, None])
    assert flat[0] == column[0]
    assert torch.equal(flat[1][:, None], column[1])
    for logits, targets in ((X, y), (X[:, 0], y[:, None, None]), (X[:, 0], y[:5])):
        with pytest.raises(ShapeError):
            RecallAtPrecisionLoss(0.8)(logits, targets)
    with pytest.raises(DataError, match="floating"):
        RecallAtPrecisionLoss(0.8)(y.long(), y)
    with pytest.raises(DataError, match="dense"):
        RecallAtPrecisionLoss(0.8)(X[:, 0], y.to_sparse())
    trained = RecallAtPrecisionLoss(0.8).start(X[:, 0], y)
    trained(X[:, 0], y)
    with pytest.raises(TypeError, match="to_dense"):
        trained(X[:, 0].to_sparse(), y)
    with pytest.raises(DataError, match="share"):
        RecallAtPrecisionLoss(0.8, share=1.5)
    with pytest.raises(MetricError):
        RateLoss("ndcg@10")


@pytest.mark.parametrize("name", ["r@p=0.75", "aucpr", "f1"])
def test_classes_are_losses_of_their_own(name) -> None:
    X, _ = made()
    targets = (X + torch.randn(X.shape, generator=torch.Generator().manual_seed(0)) > 0.5).double()
    weight = torch.rand(len(X), generator=torch.Generator().manual_seed(1)).double()
    many = RateLoss(name, classes=3).double()
    value, by_scores = gradients(many, X, targets, weight)
    singles = [gradients(RateLoss(name).double(), X[:, c], targets[:, c], weight) for c in range(3)]
    assert value == pytest.approx(np.mean([one[0] for one in singles]))
    assert torch.allclose(by_scores, torch.stack([one[1] for one in singles], dim=1) / 3)
    assert many.thresholds.shape == (3, many.objective.size)


@pytest.mark.parametrize("name", [*NAMES, SUM])
def test_batches_may_lack_a_class(name) -> None:
    X, y = made()
    loss = RateLoss(name)
    value, by_scores = gradients(loss, X[y == 0][:, 0], y[y == 0])  # before anything is known
    assert value == 0.0
    assert not by_scores.any()
    gradients(loss, X[:, 0], y)
    for only in (0, 1):
        value, by_scores = gradients(loss, X[y == only][:, 0], y[y == only])
        assert np.isfinite(value)
        assert torch.isfinite(by_scores).all()
        assert (by_scores * (1 - 2 * only) >= 0).all()
        assert torch.isfinite(loss.raw.grad).all()  # type: ignore[arg-type]
    value, _ = gradients(loss, X[:1, 0], y[:1])
    assert np.isfinite(value)


def test_batches_add_up_to_the_whole() -> None:
    """With a known share, the mean over equal batches is the whole: no sampler is needed."""
    X, y = made(n=240)
    s = X[:, 0]
    loss = RateLoss("r@p=0.8", share=0.3).double()
    whole, by_scores = gradients(loss, s, y)
    parts = [gradients(loss, s[i::4], y[i::4]) for i in range(4)]
    assert np.mean([value for value, _ in parts]) == pytest.approx(whole)
    for i, (_, part) in enumerate(parts):
        assert part / 4 == pytest.approx(by_scores[i::4].numpy())


@pytest.mark.parametrize("kind", [torch.float64, torch.bfloat16, torch.float16])
def test_types(kind) -> None:
    X, y = made()
    exact, by_scores = gradients(AUCPRLoss(5), X[:, 0].float(), y)
    value, found = gradients(AUCPRLoss(5), X[:, 0].to(kind), y.to(kind))
    assert found.dtype == kind
    assert value == pytest.approx(exact, rel=0.02)
    assert (found.float() - by_scores).abs().sum() < 0.05 * by_scores.abs().sum()


def test_autocast() -> None:
    X, y = made()
    net, loss = nn.Linear(3, 1), FBetaLoss(1.0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = net(X.float())
        assert logits.dtype == torch.bfloat16
        value = loss(logits, y[:, None])
    value.backward()
    assert value.dtype == torch.float32
    assert torch.isfinite(net.weight.grad).all()  # type: ignore[arg-type]


def test_a_state_comes_back() -> None:
    X, y = made()
    loss, again = AUCPRLoss(4), AUCPRLoss(4)
    gradients(loss, X[:, 0], y)
    again.load_state_dict(loss.state_dict())
    loss.eval()
    again.eval()
    other = made(seed=1)
    assert gradients(loss, other[0][:, 0], other[1])[0] == gradients(again, other[0][:, 0], other[1])[0]
    assert (again.thresholds == loss.thresholds).all()


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop])
def test_multipliers_climb_under_any_optimizer_and_stay_positive(optimizer) -> None:
    """A constraint that is far from met makes its multiplier rise; one that is met by far makes it fall to 0."""
    X, y = made(gap=0.1)
    hard = RecallAtPrecisionLoss(0.95)
    steps = optimizer(hard.parameters(), lr=1e-2)
    gradients(hard, X[:, 0], y)
    before = hard.multipliers.copy()
    for _ in range(20):
        gradients(hard, X[:, 0], y)
        hard.raw.grad[0] = 0.0  # type: ignore[index]
        steps.step()
    assert (hard.multipliers > before).all()
    easy = TPRAtFPRLoss(0.9)
    steps = optimizer(easy.parameters(), lr=1e-2)
    for _ in range(400):
        gradients(easy, 100.0 * y - 50.0, y)
        steps.step()
        assert (easy.multipliers >= 0).all()
    assert easy.multipliers.max() == 0.0


LOSSES = {
    "r@p=0.8": RecallAtPrecisionLoss(0.8, surrogate="log2", damping=3.0),
    "p@r=0.7": PrecisionAtRecallLoss(0.7, surrogate="log2", damping=3.0),
    "tpr@fpr=0.1": TPRAtFPRLoss(0.1, surrogate="log2", damping=3.0),
    "f1": FBetaLoss(1.0, surrogate="log2", damping=3.0),
    "aucpr": AUCPRLoss(3, surrogate="log2", damping=3.0),
    "aucpr[0.5,0.9]": AUCPRLoss(2, low=0.5, high=0.9, surrogate="log2", damping=3.0),
    "pauc[0,0.3]": AUCROCLoss(3, low=0.0, high=0.3, surrogate="log2", damping=3.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
def test_an_optimizer_reaches_what_the_solver_reaches(name) -> None:
    """Adam over a linear net and the loss: within 1% of the full-batch solver's value, constraints met to 1%."""
    X, y = made(n=300, gap=4.0)
    loss = LOSSES[name].double()
    assert str(loss.objective) == name
    exact = linear_rates(loss.objective, X.numpy(), y.numpy(), surrogate="log2", l2=1e-2, tolerance=0.03)
    net = nn.Linear(3, 1, bias=False).double()
    nn.init.zeros_(net.weight)
    steps = torch.optim.Adam([{"params": net.parameters(), "lr": 0.2}, {"params": loss.parameters(), "lr": 0.005}])
    slower = torch.optim.lr_scheduler.LambdaLR(steps, lambda t: 1.0 if t < 2000 else 0.1)
    for _ in range(2500):
        steps.zero_grad()
        (loss(net(X)[:, 0], y) + 0.005 * (net.weight**2).sum()).backward()
        steps.step()
        slower.step()
    saddle = SaddlePoint(loss.objective, y, surrogate="log2")
    saddle.thresholds, saddle.levels = loss.thresholds[0], loss.levels[0].numpy()
    saddle.splits = saddle.splits if loss.splits is None else loss.splits[0]
    at = saddle.gradients(net(X)[:, 0].detach().numpy())
    assert exact.converged
    assert exact.violation == 0.0
    assert at.excesses.max() < 0.01
    best = exact.costs.mean() + 0.005 * exact.weights @ exact.weights
    assert at.costs.mean() + 0.005 * float((net.weight**2).sum().detach()) == pytest.approx(best, rel=0.01)
