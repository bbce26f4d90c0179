"""What is drawn is what is computed elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import calibration_curve
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.metrics import precision_recall_curve, roc_curve

import rankwise as rw
from rankwise.errors import DataError
from tests.plot.pictures import (
    NAMES,
    PICTURES,
    comparison,
    one_list,
    probability,
    queries,
    ranker,
    scores,
    some_trade_off,
    y,
)


def line(ax, label):
    (found,) = [one for one in ax.get_lines() if one.get_label() == label]
    return found.get_xdata(), found.get_ydata()


def test_learning_curve_is_the_history_and_marks_the_round() -> None:
    ax = PICTURES["learning_curve"](None)
    for name in ("valid_0", "valid_1"):
        assert line(ax, name)[1].tolist() == ranker().evals_result_[name]["ndcg@5"]
    best = ranker().best_iteration_
    assert line(ax, f"stopped at round {best}")[0] == [best, best]


def test_importances_are_the_models_own_and_those_of_scikit_learn() -> None:
    ax = PICTURES["importances"](None)
    drawn = [bar.get_width() for bar in ax.patches]
    assert drawn == sorted(ranker().feature_importances_.tolist(), reverse=True)
    data = queries()
    found = permutation_importance(
        ranker(), pd.DataFrame(data.X, columns=NAMES), data.y, n_repeats=2, random_state=0,
        scoring=lambda model, X, y: rw.evaluate(y, model.predict(X), data.qid, "ndcg@5")["ndcg@5"],
    )  # fmt: skip
    by_metric = [bar.get_width() for bar in PICTURES["importances by the metric"](None).patches]
    np.testing.assert_allclose(by_metric, sorted(found.importances_mean, reverse=True), atol=1e-12)


def test_partial_dependence_is_that_of_scikit_learn() -> None:
    data = queries()
    x, mean = line(rw.plot.partial_dependence(ranker(), data, 1, points=1000), "mean")
    frame = pd.DataFrame(data.X, columns=NAMES)
    found = partial_dependence(ranker(), frame, ["bm25_title"], grid_resolution=1000, kind="average")
    average = found["average"][0]
    assert x.tolist() == found["grid_values"][0].tolist()
    np.testing.assert_allclose(mean, average - average.mean(), atol=1e-9)
    with pytest.raises(DataError, match="there is no feature 'bm25'"):
        rw.plot.partial_dependence(ranker(), data, "bm25")


def test_a_waterfall_ends_at_the_difference() -> None:
    explanation = ranker().explain(queries(), 0, 1)
    bars: Any = rw.plot.waterfall(explanation, top=3).patches
    assert bars[-1].get_width() == pytest.approx(explanation.difference, abs=1e-9)
    assert sum(bar.get_width() for bar in bars[:-1]) == pytest.approx(explanation.difference, abs=1e-9)


def test_the_bars_of_a_query_add_up_to_its_differences() -> None:
    data, model = queries(), ranker()
    rows = np.flatnonzero(data.qid == 3)
    expected = -np.diff(np.sort(model.predict(data.rows(rows)))[::-1][:6])
    bars: Any = rw.plot.query_waterfall(model, data, 3, features=2).patches
    totals = np.reshape([bar.get_width() for bar in bars], (3, 5)).sum(axis=0)
    np.testing.assert_allclose(totals, expected, atol=1e-9)
    with pytest.raises(DataError, match="there is no query 99"):
        rw.plot.query_waterfall(model, data, 99)


def test_curves_are_those_of_scikit_learn() -> None:
    fpr, tpr, _ = roc_curve(y(), scores(), drop_intermediate=False)
    x, height = line(rw.plot.roc_curves(*one_list()), "gbdt")
    np.testing.assert_allclose(np.interp(x, fpr, tpr), np.interp(x, x, height), atol=0.01)
    precision, recall, thresholds = precision_recall_curve(y(), scores())
    ax = PICTURES["precision_recall_threshold"](None)
    at, drawn = line(ax, "recall")
    np.testing.assert_allclose(drawn, recall[np.searchsorted(thresholds, at)], atol=1e-12)
    np.testing.assert_allclose(line(ax, "precision")[1], precision[np.searchsorted(thresholds, at)], atol=1e-12)
    share, positives = line(PICTURES["gain"](None), "gbdt")
    shares, lifts = line(PICTURES["lift"](None), "gbdt")
    np.testing.assert_allclose(np.interp(shares, share, positives) / shares, lifts, atol=0.05)


def test_calibration_is_that_of_scikit_learn() -> None:
    proba = probability(scores())
    share, given = calibration_curve(y(), proba, n_bins=10, strategy="quantile")
    container: Any = rw.plot.calibration(y(), proba).containers[0]
    drawn = container.lines[0]
    np.testing.assert_allclose(drawn.get_xdata(), given, atol=1e-12)
    np.testing.assert_allclose(drawn.get_ydata(), share, atol=1e-12)
    with pytest.raises(DataError, match="from 0 to 1"):
        rw.plot.calibration(y(), scores())


def test_bars_of_a_histogram_are_shares_of_a_class() -> None:
    drawn: Any = rw.plot.score_histogram(y(), scores()).patches
    for bars in drawn:
        assert bars.get_data().values.sum() == pytest.approx(1.0)


def test_differences_are_those_of_the_comparison() -> None:
    lines: Any = PICTURES["differences"](None).get_lines()
    for number, test in enumerate(comparison().row_tests):
        assert tuple(lines[2 * number].get_xdata()) == test.interval
        assert lines[2 * number + 1].get_xdata() == [test.difference]
    data = queries()
    many = rw.compare(data, {"x": data.X[:, 0], "y": data.X[:, 1]}, metrics="map auc")
    lines = rw.plot.differences(many, "map").get_lines()
    interval, point, *_ = lines
    assert tuple(interval.get_xdata()) == many.tests[0].interval
    assert point.get_xdata() == [many.tests[0].difference]


def test_the_points_of_a_trade_off_are_its_means() -> None:
    points = [
        (float(x[0]), float(h[0])) for x, h in (one.get_data() for one in PICTURES["trade_off"](None).get_lines()[1:])
    ]
    assert points == some_trade_off().means


def test_what_cannot_be_drawn_is_refused_by_a_sentence() -> None:
    with pytest.raises(DataError, match="one class only"):
        rw.plot.gain([1, 1], [1, 2])
    with pytest.raises(DataError, match="pass eval_set="):
        rw.plot.learning_curve(rw.RankSVM().fit(queries()))
    with pytest.raises(DataError, match="need labelled rows"):
        rw.plot.importances(ranker(), kind="permutation")
    with pytest.raises(DataError, match="no difference with an interval"):
        rw.plot.differences(comparison(), "mrr")
