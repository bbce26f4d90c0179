"""Burges 2006's benchmark: the compiled trainer is `optimizer="burges2006"`, and figure 3's rows are what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import rankwise as rw
from benchmarks.papers import burges_ndcg
from benchmarks.papers.burges_trainer import PaperNet, Weights, lambdas_of
from rankwise.data import RankingData, cubic
from rankwise.objectives import lambda_gradients
from rankwise.rankers._pair_rows import pair_rows

DATA = cubic(queries=60, documents=20, features=6, seed=1)
TRAIN, VALID, TEST = (DATA.rows(DATA.qid % 3 == part) for part in range(3))


def as_trained(data: RankingData) -> RankingData:
    """Rows and queries in the order in which the estimators go over them."""
    rows = pair_rows("", data.X, data.y, data.qid, None, None)
    query = np.repeat(np.arange(rows.offsets.size - 1), np.diff(rows.offsets))
    return RankingData(np.asarray(data.X)[rows.order], rows.y, query)


def module_of(hidden: tuple[int, ...]) -> torch.nn.Module:
    torch.manual_seed(0)
    if not hidden:
        return torch.nn.Linear(6, 1, bias=False)
    return torch.nn.Sequential(
        torch.nn.Linear(6, hidden[0]), torch.nn.Tanh(), torch.nn.Linear(hidden[0], 1, bias=False)
    )


def weights_of(module: torch.nn.Module) -> Weights:
    arrays = [weights.detach().double().numpy().copy() for weights in module.parameters()]
    if len(arrays) == 1:
        return np.empty((0, 6)), np.empty(0), arrays[0][0]
    return arrays[0], arrays[1], arrays[2][0]


@pytest.mark.parametrize("hidden", [(), (4,)])
@pytest.mark.parametrize(("cls", "options", "rate"), [
    (rw.RankNet, {}, 1e-3), (rw.LambdaRank, {"surrogate": "ndcg", "norm": None}, 0.1)
])  # fmt: skip
def test_the_compiled_trainer_is_that_of_the_estimators(
    cls: Any, options: dict[str, Any], rate: float, hidden: tuple[int, ...]
) -> None:
    module = module_of(hidden)
    settings: dict[str, Any] = {"learning_rate": rate, "epochs": 12, "early_stopping_rounds": None, "random_state": 3}
    compiled = PaperNet(cls is rw.LambdaRank, hidden=hidden, start=weights_of(module), **settings)
    compiled.fit(as_trained(TRAIN), VALID)
    model = cls(torch_module=module, optimizer="burges2006", weight_decay=0.0, **settings, **options)
    model.fit(TRAIN, eval_set=VALID)
    assert compiled.best_iteration_ == model.best_iteration_
    assert compiled.best_score_ == pytest.approx(model.best_score_, abs=1e-6)
    for ours, reference in zip(compiled.weights_, weights_of(model.module_), strict=True):
        np.testing.assert_allclose(ours, reference, atol=1e-4)


@pytest.mark.parametrize("scaled", [True, False])
def test_the_lambdas_of_the_compiled_trainer_are_the_librarys(scaled: bool) -> None:
    y, scores = TRAIN.y[:20], np.random.default_rng(0).normal(size=20)
    gain = (2**y - 1) / np.sum(np.sort(2**y - 1)[::-1] / np.log2(np.arange(2, 22)))
    expected = -lambda_gradients("ndcg", y, scores, norm=None)[0]
    if not scaled:
        better = np.sign(y[:, None] - y)
        expected = (better / (1 + np.exp(better * (scores[:, None] - scores)))).sum(axis=1)
    np.testing.assert_allclose(lambdas_of(scores, y, gain, scaled), expected, atol=1e-9)


def test_it_restarts_after_fifty_epochs_without_progress() -> None:
    stuck = PaperNet(True, 1e-12, epochs=120).fit(TRAIN, VALID)  # no step changes the ranking
    assert stuck.restarts_ == 2
    assert stuck.best_score_ == rw.evaluate(VALID, stuck.predict(VALID), metrics="ndcg@10")["ndcg@10"]


def test_gains_are_those_of_section_6_3() -> None:
    data = burges_ndcg.with_gains(rw.RankingData(np.zeros((5, 1)), np.arange(5), np.zeros(5)))
    assert [rw.evaluate(data, -np.abs(np.arange(5) - grade), metrics="dcg@1")["dcg@1"] for grade in range(5)] == [
        0.0,
        3.0,
        7.0,
        15.0,
        31.0,
    ]


def test_rows_of_figure_3() -> None:
    rows = burges_ndcg.figure_3(TRAIN, VALID, TEST, seeds=[0, 1], quick=True)
    assert [(row["net"], row["trainer"], row["metric"]) for row in rows] == [
        (net, trainer, f"ndcg@{k}")
        for net in ("linear", "two layers")
        for trainer in ("RankNet", "LambdaRank", "LambdaRank, ours")
        for k in range(1, 11)
    ]
    by_key = {(row["net"], row["trainer"], row["metric"]): row for row in rows}
    for (net, trainer, metric), row in by_key.items():
        low, high = row["interval"]
        assert low <= row["mean"] <= high
        assert row["queries"] <= 20
        if trainer == "RankNet":
            assert "difference" not in row
            continue
        low, high = row["difference interval"]
        assert low <= row["difference"] <= high
        assert row["difference"] == pytest.approx(row["mean"] - by_key[net, "RankNet", metric]["mean"])
        assert 0 < row["fisher_p"] <= 1


def test_differences_by_polynomial_are_paired() -> None:
    generator = np.random.default_rng(0)
    parts = [{(net, trainer): generator.random((10, 7)) for net in burges_ndcg.NETS for trainer in burges_ndcg.TRAINERS}
             for _ in range(3)]  # fmt: skip
    rows = burges_ndcg.by_polynomial(parts)
    last = rows[-1]
    assert (last["net"], last["metric"]) == ("two layers", "ndcg@10")
    expected = [np.mean(part["two layers", "LambdaRank"][9] - part["two layers", "RankNet"][9]) for part in parts]
    np.testing.assert_allclose(last["differences"], expected)
    assert last["interval"][0] < np.mean(expected) < last["interval"][1]
