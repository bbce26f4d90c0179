"""Cross-validation and tuning of a classifier for an operating point."""

from __future__ import annotations

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import DataError
from tests.rankers.rates.factories import logistic, small

X, Y = logistic(400, 0)
DATA = rw.RankingData(X, Y.astype(float), np.zeros(400))


def test_trials_are_judged_by_the_objective() -> None:
    tuned = rw.tune(small("r@p=0.7", model="linear", folds=2), DATA, {"penalty": [0.1, 1.0]}, folds=2, trials=2)
    assert tuned.metric == "r@p=0.7"
    values = [trial.value or 0.0 for trial in tuned.trials]
    assert tuned.best.value == max(values) > 0


def test_a_positive_class_that_metrics_take_for_negative_is_refused() -> None:
    """An AUC of 0.015 came of it, where 0.985 was meant."""
    with pytest.raises(DataError, match="metrics take labels above 0 for positive, got pos_label=0"):
        rw.cross_validate(small("f1", model="linear", pos_label=0), DATA, "auc", folds=2)
    assert rw.cross_validate(small("f1", model="linear", pos_label=1), DATA, "auc", folds=2)["auc"] > 0.7
