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
    from benchmarks.papers import eban_whole_nets_models as models
    from benchmarks.papers import eban_whole_nets_training as training

Setting = script.Setting


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (40, 32, 32, 3), dtype=np.uint8)
    return training.Images.of(pixels, np.arange(40) % models.CLASSES)


def weights(net):
    return torch.cat([parameter.detach().flatten() for parameter in net.parameters()])


@pytest.mark.parametrize(
    ("net", "setting"),
    [*(("small", one) for one in script.defaults().values()), *((net, Setting("aucpr")) for net in models.NETS)],
    ids=str,
)
def test_an_epoch_moves_the_whole_net(net, setting, images) -> None:
    trained, before = models.new_net(net, 0), weights(models.new_net(net, 0))
    training.train(trained, setting, images, seed=0, epochs=range(6, 7))
    assert torch.isfinite(weights(trained)).all()
    assert (weights(trained) != before).float().mean() > 0.9


def test_odds_are_those_of_softmax() -> None:
    logits = torch.randn(7, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    chances = logits.softmax(1)
    torch.testing.assert_close(training.odds(logits), (chances / (1.0 - chances)).log())


def test_the_curve_is_the_best_precision_with_the_recall() -> None:
    y, scores = np.array([1, 0, 1, 0, 0]), np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    curve = dict(zip(training.RECALLS, training.precisions(y, scores), strict=True))
    assert {recall <= 0.5: precision for recall, precision in curve.items()} == {True: 1.0, False: 0.6667}


def test_a_warm_start_is_trained_once(images, tmp_path, monkeypatch) -> None:
    first, plain = training.warm("small", images, 3, 1, tmp_path), models.new_net("small", 3)
    training.train(plain, Setting(training.SOFTMAX), images, 3, range(1))
    assert torch.equal(weights(first), weights(plain))
    monkeypatch.setattr(training, "train", None)
    assert torch.equal(weights(training.warm("small", images, 3, 1, tmp_path)), weights(plain))


class Made(script.Runs):
    """Runs that are made up: a class's value rises with its number, and odds have twice that of logits."""

    def __init__(self, points) -> None:
        self.points = points

    def get(self, setting, seed):
        values = self.points(setting, seed) + np.arange(10) / 100
        better, worse = ({m: list(values / by) for m in script.METRICS} for by in (1, 2))
        return {"setting": asdict(setting), "seed": seed, "odds": better, "logits": worse, "accuracy": 0.5}


def test_the_best_value_is_kept_and_only_where_it_applies() -> None:
    runs = Made(lambda setting, seed: setting.anchors / 100 if seed == 0 else pytest.fail("seed 0 chooses"))
    settings = {"softmax": script.BASELINES["softmax"], "aucpr": Setting("aucpr"), "r@p=0.95": Setting("r@p=0.95")}
    (row,) = script.choose(runs, settings, "anchors", (10, 20, 5))
    assert (row["loss"], row["chosen"]) == ("aucpr", 20)
    assert (settings["aucpr"].anchors, settings["r@p=0.95"].anchors) == (20, 10)
    assert [one["points"] for one in row["tried"]] == pytest.approx([7.25, 12.25, 4.75])  # by logits
    assert script.choose(runs, settings, "rate", (2e-3,))[0]["loss"] == "softmax"


def test_differences_are_paired_by_seed_with_softmax_of_the_same_batches() -> None:
    def points(setting, seed):
        return 0.1 * seed + (0.01 * seed if setting.loss == "aucpr" else 0.0) + (0.5 if setting.batch == 64 else 0.0)

    settings = {"softmax": script.BASELINES["softmax"], "aucpr": Setting("aucpr", scores="odds", batch=64)}
    rows = script.compare(Made(points).get, "small", settings, range(1, 4))
    (ours,) = (row for row in rows if (row["loss"], row["scores"], row["metric"]) == ("aucpr", "odds", "aucpr"))
    gap = ours["over softmax by odds"]
    assert gap["points"] == pytest.approx(2.0)
    assert gap["half"] == pytest.approx(4.303 / np.sqrt(3.0), rel=1e-3)  # Student's, of two degrees of freedom
