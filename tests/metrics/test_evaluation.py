from __future__ import annotations

import json
import math

import numpy as np
import pytest

from rankwise.errors import MetricError
from rankwise.metrics._evaluation import Evaluation, LeftOut


def an_evaluation(values, *, query_weight=None, qids=None, left_out=None, notes=()) -> Evaluation:
    values = np.asarray(values, dtype=float)
    return Evaluation(
        qids=np.arange(len(values)) if qids is None else np.asarray(qids),
        per_query={"auc": values, "ndcg@10": values / 2},
        left_out=left_out or {"auc": LeftOut(), "ndcg@10": LeftOut()},
        query_weight=None if query_weight is None else np.asarray(query_weight, dtype=float),
        convention="standard",
        ties="expected",
        empty="skip",
        notes=notes,
    )


def test_the_mean_skips_queries_left_out() -> None:
    evaluation = an_evaluation([0.5, math.nan, 1.0])
    assert evaluation["auc"] == 0.75
    assert evaluation.means == {"auc": 0.75, "ndcg@10": 0.375}
    assert evaluation.queries_counted("auc") == 2


def test_weights_weigh_and_zero_does_not_count() -> None:
    evaluation = an_evaluation([0.2, 0.8, 0.5, math.nan], query_weight=[3, 1, 0, 5])
    assert evaluation["auc"] == pytest.approx((3 * 0.2 + 0.8) / 4)
    assert evaluation.queries_counted("auc") == 2


def test_all_left_out_is_nan_without_a_warning() -> None:
    evaluation = an_evaluation([math.nan, math.nan])
    assert math.isnan(evaluation["auc"])
    assert np.isnan(evaluation.interval("auc")).all()
    assert math.isnan(an_evaluation([0.5, 0.2], query_weight=[0, 0])["auc"])


def test_one_query_has_no_interval_and_the_table_a_dash() -> None:
    evaluation = an_evaluation([0.5])
    for method in ("bootstrap", "t"):
        assert np.isnan(evaluation.interval("auc", method=method)).all()
    assert str(evaluation).splitlines()[1].split() == ["auc", "0.5000", "–", "1", "0"]


def test_intervals_widen_with_the_level_and_both_methods_agree() -> None:
    evaluation = an_evaluation(np.random.default_rng(0).random(400))
    narrow, wide = evaluation.interval("auc", 0.5), evaluation.interval("auc", 0.99)
    assert wide[0] < narrow[0] < evaluation["auc"] < narrow[1] < wide[1]
    assert evaluation.interval("auc") == pytest.approx(evaluation.interval("auc", method="t"), abs=0.005)


def test_a_metric_that_was_not_evaluated_is_an_error_that_names_what_there_is() -> None:
    with pytest.raises(MetricError, match=r"map was not evaluated, got auc, ndcg@10"):
        an_evaluation([0.5])["map"]
    with pytest.raises(MetricError, match="'bootstrap', 't' or 'delong'"):
        an_evaluation([0.5]).interval("auc", method="jackknife")  # type: ignore[arg-type]


def test_a_metric_object_is_looked_up_by_its_spelling() -> None:
    class Auc:
        def __str__(self) -> str:
            return "auc"

    assert an_evaluation([0.5, 0.7])[Auc()] == pytest.approx(0.6)


def test_the_table_says_what_was_left_out_and_the_notes() -> None:
    left_out = {"auc": LeftOut(1, "no relevant document"), "ndcg@10": LeftOut()}
    text = str(an_evaluation([0.5, math.nan, 0.7], left_out=left_out, notes=("ties are averaged",)))
    assert "1: no relevant document" in text
    assert text.endswith("note: ties are averaged")
    assert repr(an_evaluation([0.5])) == str(an_evaluation([0.5]))


@pytest.mark.parametrize("qids", [[3, 1], ["a", "b"], [1.5, 2.5], [True, False]])
def test_to_dict_is_strict_json(qids) -> None:
    found = json.loads(json.dumps(an_evaluation([0.5, math.nan], qids=qids).to_dict(), allow_nan=False))
    assert found["per_query"]["auc"] == [0.5, None]
    assert found["metrics"]["auc"]["interval"] == [None, None]
    assert found["metrics"]["auc"]["left_out"] == {"count": 0, "why": ""}
    assert len(found["qids"]) == 2
