"""Why one row is above another: the parts add up to the difference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rankwise.errors import DataError
from rankwise.rankers import LambdaMART, RankSVM, _explanation
from tests.rankers.factories import TRAIN, VALID


@pytest.fixture(scope="module", params=[1, 2])
def model(request):
    model = LambdaMART("ndcg@10", n_estimators=30, bags=request.param, random_state=0, n_jobs=1)
    return model.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)


def test_parts_add_up_to_the_difference(model) -> None:
    scores = model.predict(VALID.X)
    for i, j in [(0, 1), (1, 0), (17, 250), (399, 3)]:
        for X in (VALID.X, sp.csr_matrix(VALID.X)):
            explanation = model.explain(X, i, j)
            assert explanation.difference == scores[i] - scores[j]
            assert abs(explanation.contributions.sum() - explanation.difference) < 1e-9


def test_it_reads_as_a_sentence_and_a_table(model) -> None:
    scores = model.predict(VALID.X)
    best, worst = int(scores.argmax()), int(scores.argmin())
    first, header, *rows = str(model.explain(VALID.X, best, worst)).splitlines()
    assert first == f"row {best} is above row {worst} by {scores[best] - scores[worst]:.4f}"
    assert header.split() == ["feature", "row", str(best), "row", str(worst), "adds"]
    assert len(rows) == 7  # six features and the rest
    assert "is level with" in str(model.explain(VALID.X, 0, 0))


def test_a_row_that_is_not_there_is_named(model) -> None:
    with pytest.raises(DataError, match="from 0 to 399, got 400"):
        model.explain(VALID.X, 0, 400)
    assert np.isfinite(model.explain(VALID.X, 0, 399).difference)


def test_more_features_than_anybody_reads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_explanation, "MAX_EXPLAINED_FEATURES", 2)
    X = np.arange(12.0).reshape(4, 3)
    with pytest.raises(DataError, match="names every feature, 2 at most, got 3"):
        RankSVM("auc").fit(X, [0, 1, 0, 1]).explain(X, 0, 1)
