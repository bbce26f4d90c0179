"""Whole nets for Eban 2017's table 1, on a few random images: every loss steps, warm starts are shared, and settings
are chosen and compared as the script says."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
import torch

with pytest.MonkeyPatch.context() as patch:  # the scripts set the number of threads for themselves
    for name in ("RANKWISE_NUM_THREADS", "OMP_NUM_THREADS"):
        patch.setenv(name, "1")
    from benchmarks.papers import eban_whole_nets as script
    from benchmarks.papers import eban_whole_nets_training as training

Setting = script.Setting
LOSSES = [
    *script.BASELINES.values(),
    *(Setting(metric, **start) for metric in script.METRICS for start in (script.START, script.PRINTED)),
]


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (40, 32, 32, 3), dtype=np.uint8)
    return training.Images.of(pixels, np.arange(40) % training.CLASSES)


def weights(net):
    return torch.cat([parameter.detach().flatten() for parameter in net.parameters()])


@pytest.mark.parametrize("setting", LOSSES, ids=lambda one: f"{one.loss}, {one.surrogate}, {one.scores}")
def test_an_epoch_moves_the_whole_net(setting, images) -> None:
    net = training.new_net(0)
    before = weights(net).clone()
    first_layer = net.features[0].weight.detach().clone()
    training.train(net, setting, images, seed=0, epochs=range(6, 7))
    assert torch.isfinite(weights(net)).all()
    assert not torch.equal(net.features[0].weight, first_layer)
    assert (weights(net) != before).float().mean() > 0.9


def test_odds_are_those_of_softmax() -> None:
    logits = torch.randn(7, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    chances = logits.softmax(1)
    torch.testing.assert_close(training.odds(logits), (chances / (1.0 - chances)).log())


def test_softmax_beside_a_loss_is_added(images) -> None:
    logits = torch.randn(40, training.CLASSES, generator=torch.Generator().manual_seed(0))
    alone, both = (training.Cost(Setting("r@p=0.95", softmax_weight=weight))(logits, images) for weight in (0.0, 2.0))
    softmax = torch.nn.functional.cross_entropy(logits, images.classes)
    torch.testing.assert_close(both, alone + 2.0 * softmax)


def test_a_warm_start_is_trained_once(images, tmp_path, monkeypatch) -> None:
    first = training.warm(images, 3, 1, tmp_path)
    plain = training.train(training.new_net(3), Setting(training.SOFTMAX), images, 3, range(1))
    assert torch.equal(weights(first), weights(plain))
    monkeypatch.setattr(training, "train", None)
    assert torch.equal(weights(training.warm(images, 3, 1, tmp_path)), weights(plain))


class Made(script.Runs):
    """Runs that are made up: a class's value rises with its number, and odds have twice that of logits."""

    def __init__(self, points) -> None:
        self.points = points

    def get(self, setting, seed):
        values = self.points(setting, seed) + np.arange(10) / 100
        found = {m: list(values) for m in script.METRICS}
        worse = {m: list(values / 2) for m in script.METRICS}
        return {"setting": asdict(setting), "seed": seed, "odds": found, "logits": worse, "accuracy": 0.5}


def test_the_best_value_is_kept_and_only_where_it_applies() -> None:
    runs = Made(lambda setting, seed: setting.anchors / 100 if seed == 0 else pytest.fail("seed 0 chooses"))
    settings = {"softmax": script.BASELINES["softmax"], "aucpr": Setting("aucpr"), "r@p=0.95": Setting("r@p=0.95")}
    (row,) = script.choose(runs, settings, "anchors", (10, 20, 5))
    assert (row["loss"], row["chosen"], settings["aucpr"].anchors, settings["r@p=0.95"].anchors) == (
        "aucpr",
        20,
        20,
        10,
    )
    assert [one["points"] for one in row["tried"]] == pytest.approx([7.25, 12.25, 4.75])  # by logits
    assert script.choose(runs, settings, "rate", (2e-3,))[0]["loss"] == "softmax"


def test_differences_are_paired_by_seed() -> None:
    runs = Made(lambda setting, seed: 0.1 * seed + (0.01 * seed if setting.loss == "aucpr" else 0.0))
    settings = {"softmax": script.BASELINES["softmax"], "aucpr": Setting("aucpr", scores="odds")}
    rows = {(row["loss"], row["scores"]): row for row in script.compare(runs, settings, range(1, 4))}
    ours = rows["aucpr", "odds"]
    assert ours["gaps"] == pytest.approx([1.0, 2.0, 3.0])
    assert (ours["points"], ours["error"]) == pytest.approx((2.0, 1.0 / np.sqrt(3.0)))
    assert (ours["classes better"], ours["seeds"]) == (10, 3)
    assert rows["softmax", "logits"]["points"] == pytest.approx(-(20.0 + 4.5) / 2)
    assert (rows["softmax", "odds"]["points"], rows["softmax", "odds"]["p"]) == (0.0, None)
