"""Rankers trained on weighted sums of metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import web
from rankwise.metrics import NDCG, WeightedSum, parse
from rankwise.rankers.trees._objectives import ScaledLambdas

TREES: dict[str, Any] = {"n_estimators": 6, "num_leaves": 4, "min_child_samples": 5, "random_state": 0, "n_jobs": 1}
NET: dict[str, Any] = {"epochs": 4, "hidden": (3,), "random_state": 0}


@pytest.fixture(scope="module")
def parts() -> list[rw.RankingData]:
    return [web(queries=30, documents=12, features=5, seed=seed) for seed in (1, 2)]


@pytest.mark.parametrize(("ranker", "given"), [(rw.LambdaMART, TREES), (rw.LambdaRank, NET)])
def test_halves_of_a_metric_train_as_the_metric_does(ranker: Any, given: Any, parts: list[rw.RankingData]) -> None:
    """½x + ½x is x to the last bit: the same model, stopped in the same round, whatever the part trains by."""
    train, valid = parts
    whole, halves = (
        ranker(metric, **given).fit(train, eval_set=valid) for metric in ("ndcg@3", "0.5*ndcg@3+0.5*ndcg@3")
    )
    np.testing.assert_array_equal(halves.predict(valid), whole.predict(valid))
    assert (halves.best_iteration_, halves.best_score_) == (whole.best_iteration_, whole.best_score_)


def test_trees_descend_the_sum_of_raw_lambdas(parts: list[rw.RankingData]) -> None:
    """One scale for the sum: the parts keep the sizes that their changes have."""
    data, scores = parts[0], np.random.default_rng(0).normal(size=len(parts[0]))
    qid, keys = data.groups.query_of_row(), np.arange(len(data), dtype=float)

    def raw(metric: str) -> np.ndarray:
        made = ScaledLambdas(parse(metric), data.y, qid, None, norm="gap", sigma=1.0, tie_keys=keys)
        return made.gradients(scores)[0]

    both = ScaledLambdas(parse("0.7*ndcg@3 + 0.3*auc"), data.y, qid, None, norm="gap", sigma=1.0, tie_keys=keys)
    both.set_global_sums([both.sums])
    expected = 0.7 * raw("ndcg@3") + 0.3 * raw("auc")
    np.testing.assert_allclose(both.gradients(scores)[0], both.scale * expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "model",
    [rw.LambdaMART(**TREES), rw.LambdaRank(**NET), rw.RankNet(**NET), rw.RankSVM(C=[0.1, 1.0]), rw.AUCSVM()],
    ids=lambda model: model.kind,
)
def test_stopped_or_chosen_on_a_sum_and_saved(model: Any, parts: list[rw.RankingData], tmp_path: Path) -> None:
    train, valid = parts
    metric = WeightedSum((NDCG(k=3), parse("auc")), (0.7, 0.3))
    fitted = model.set_params(metric=metric).fit(train, eval_set=valid)
    assert fitted.best_score_ == pytest.approx(fitted.score(valid), abs=1e-6)
    assert list(fitted.evals_result_["valid_0"]) == ["0.7*ndcg@3 + 0.3*auc"]
    rw.save(fitted, tmp_path / "m.rw")
    again = rw.load(tmp_path / "m.rw")
    assert parse(again.metric) == metric
    np.testing.assert_array_equal(again.scores(valid), fitted.scores(valid))


def test_classifiers_for_operating_points_take_sums_of_rates_alone(parts: list[rw.RankingData]) -> None:
    y = parts[0].y > 1
    with pytest.raises(rw.RankwiseError, match="no rate objective for ndcg@10"):
        rw.RateClassifier(parse("0.7*ndcg@10 + 0.3*auc")).fit(parts[0].X, y)
