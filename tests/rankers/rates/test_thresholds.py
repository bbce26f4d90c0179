"""A certified threshold, or one of your own, in place of the one that `fit` placed; and rows that prove nothing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankwise as rw
from rankwise.errors import DataError, ModelFileError, ShapeError
from rankwise.rankers.rates._trained_rows import MAX_HASHES, TrainedRows, row_keys
from tests.models.rewritten import rewritten, with_summary
from tests.rankers.rates.factories import logistic, small

X, Y = logistic(1200, 0)
X_NEW, Y_NEW = logistic(3000, 1)
THREE = np.digitize(X[:, 0], [-1.0, 1.0])
PROVES_NOTHING = "of these rows are among those that the model was trained or chosen by"


def linear(objective="r@p=0.6", **parameters):
    return small(objective, model="linear", folds=2, **parameters)


@pytest.mark.parametrize("pos_label", [None, 0])
def test_predict_says_yes_from_the_certified_threshold_on(pos_label, tmp_path) -> None:
    labels, new = (y if pos_label is None else 1 - y for y in (Y, Y_NEW))
    model = linear(pos_label=pos_label).fit(X, labels)
    before, certificate = model.scores(X_NEW), model.certify(X_NEW, new, confidence=0.9)
    at_fit, threshold = model.decision_function(X_NEW), model.threshold_
    assert model.set_threshold(certificate) is model
    yes = model.predict(X_NEW) == model.pos_label_
    assert np.array_equal(yes, before >= certificate.threshold)
    assert 0 < yes.sum() != (before >= 0).sum()
    assert np.array_equal(yes, model.scores(X_NEW) >= 0)
    assert np.array_equal(model.decision_function(X_NEW), at_fit)  # so that a threshold means the same again
    assert model.threshold_ == threshold + certificate.threshold
    assert model.set_threshold(certificate).threshold_ == threshold + certificate.threshold
    assert model.set_threshold(certificate.threshold).threshold_ == threshold + certificate.threshold
    model.set_threshold(certificate)
    rw.save(model, tmp_path / "m.rw")
    loaded = rw.load(tmp_path / "m.rw")
    assert np.array_equal(loaded.predict(X_NEW), model.predict(X_NEW))
    assert loaded.models_[0].set_to == model.models_[0].set_to
    assert loaded.models_[0].set_to.confidence == 0.9
    assert loaded.to_score_function().constant == pytest.approx(model.to_score_function().constant)
    assert model.to_score_function().constant == pytest.approx(
        linear(pos_label=pos_label).fit(X, labels).to_score_function().constant - certificate.threshold
    )


def test_a_point_that_was_not_reached_can_still_be_certified() -> None:
    confused = Y ^ (np.random.default_rng(0).random(1200) < 0.2)
    model = linear("r@p=0.99").fit(X, confused)
    assert not model.reached_
    certificate = model.certify(X_NEW, Y_NEW, objective="r@p=0.5")
    yes = model.set_threshold(certificate).predict(X_NEW)
    assert yes.sum() > 100
    assert Y_NEW[yes == 1].mean() > 0.5
    assert np.array_equal(model.scores(X_NEW) >= 0, yes == 1)
    assert model.to_score_function() is not None


def test_it_works_in_a_pipeline() -> None:
    pipeline = make_pipeline(StandardScaler(), linear()).fit(X, Y)
    certificate = pipeline[-1].certify(pipeline[:-1].transform(X_NEW), Y_NEW)
    pipeline[-1].set_threshold(certificate)
    assert np.array_equal(pipeline.predict(X_NEW) == 1, pipeline.decision_function(X_NEW) >= certificate.threshold)


def test_several_models_take_one_each() -> None:
    model = linear("f1").fit(X, THREE)
    first, second, third = model.threshold_
    model.set_threshold([0.5, None, -0.25])
    assert model.threshold_ == [first + 0.5, second, third - 0.25]
    margins = model.decision_function(X) - [0.5, 0.0, -0.25]
    assert np.array_equal(model.predict(X), margins.argmax(axis=1))
    with pytest.raises(ShapeError, match="a threshold per model, got 1 for 3"):
        model.set_threshold(0.5)


def test_what_is_no_threshold_is_refused(tmp_path) -> None:
    model = linear().fit(X, Y)
    for wrong in (None, "high", float("nan"), True, [None]):
        with pytest.raises(DataError, match="a threshold must be a certificate or a finite number"):
            model.set_threshold(wrong)
    with pytest.raises(DataError, match="this certificate has no threshold to set: No threshold can be certified"):
        model.set_threshold(model.certify(X_NEW[:50], Y_NEW[:50], objective="r@p=0.999"))
    assert model.models_[0].set_to is None
    with pytest.raises(ValueError, match="not fitted"):
        linear().set_threshold(0.5)
    rw.save(model.set_threshold(0.5), tmp_path / "m.rw")
    for name, value in (("set_to", 3), ("set_to", {"at": "x"}), ("reached", None),
                        ("set_to", {"at": 1.0, "objective": "auc", "confidence": 0.9}),
                        ("set_to", {"at": 1.0, "objective": ["r@p=0.9"], "confidence": 0.9}),
                        ("set_to", {"at": 1.0, "objective": "r@p=0.9", "confidence": 7})):  # fmt: skip

        def lie(manifest, name=name, value=value):
            manifest["summary"]["models"][0][name] = value
            return manifest

        with pytest.raises(ModelFileError):
            rw.load(rewritten(tmp_path / "m.rw", lie))
    for change in (
        with_summary("positive", 7),
        with_summary("positive", True),
    ):
        with pytest.raises(ModelFileError):
            rw.load(rewritten(tmp_path / "m.rw", change))


def test_rows_trained_on_prove_nothing(caplog) -> None:
    model = linear().fit(X, Y, eval_set=(X_NEW[:500], Y_NEW[:500]))
    for rows, labels, said in ((X, Y, "100%"), (X_NEW[:1000], Y_NEW[:1000], "50%"), (X_NEW[500:], Y_NEW[500:], "")):
        caplog.clear()
        model.certify(rows, labels)
        assert (PROVES_NOTHING in caplog.text) == bool(said)
        assert f"{said} {PROVES_NOTHING}" in caplog.text or not said


def test_a_file_tells_nothing_of_the_rows_trained_on(caplog, tmp_path) -> None:
    rw.save(linear().fit(X, Y), tmp_path / "m.rw")
    model = rw.load(tmp_path / "m.rw")
    assert model.trained_rows_.hashes.size == 0
    model.certify(X, Y)
    assert PROVES_NOTHING not in caplog.text


def test_an_eval_set_of_training_rows_is_worth_a_word(caplog) -> None:
    linear("f1").fit(X, Y, eval_set=(X[:400], Y[:400]))
    assert "100% of the rows of eval_set stand in the training data too" in caplog.text
    caplog.clear()
    linear("f1").fit(X, Y, eval_set=(X_NEW, Y_NEW))
    assert "eval_set" not in caplog.text


def test_rows_of_few_values_are_alike_by_chance() -> None:
    rng = np.random.default_rng(0)
    draw, positive = lambda rows: rng.integers(0, 2, (rows, 4)).astype(float), np.arange(800) % 2 == 0
    trained = TrainedRows.of(row_keys(draw(800), positive))
    assert trained.share_of(row_keys(draw(800), positive)) < 0.01


def test_of_many_rows_a_share_of_the_hashes_is_enough() -> None:
    rng = np.random.default_rng(0)
    rows, positive = rng.normal(size=(20_000, 3)), np.zeros(20_000, dtype=bool)
    trained = TrainedRows.of(row_keys(sp.csr_matrix(rows), positive))
    assert (trained.hashes.size, trained.are_all) == (MAX_HASHES, False)
    half = np.concatenate([rows[:3000], rng.normal(size=(3000, 3))])
    assert trained.share_of(row_keys(half, positive[:6000])) == pytest.approx(0.5, abs=0.1)
    assert trained.share_of(row_keys(rng.normal(size=(5000, 3)), positive[:5000])) == 0.0
