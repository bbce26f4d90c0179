"""Killed at any moment and resumed, training ends with the same model, bit for bit."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from rankwise.errors import DataError, ModelFileError
from rankwise.models import load, save
from rankwise.rankers import LambdaMART
from rankwise.rankers import _checkpoint as checkpoint
from rankwise.rankers.trees._training_state import TrainingState
from tests.rankers.factories import EVAL_SET, TRAIN, VALID
from tests.rankers.kills import KilledError, kill_when_written, killed_after


@pytest.fixture(autouse=True)
def _every_round(monkeypatch) -> None:
    monkeypatch.setattr(checkpoint, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "MAX_IO_SHARE", 1e9)


def train(path=None, *, resume=False, kill_after=None, **parameters):
    parameters = {"n_estimators": 10, "num_leaves": 7, "random_state": 0, "n_jobs": 1, **parameters}
    model = LambdaMART(**{"metric": "ndcg@10", **parameters})
    rows: dict[str, Any] = {"qid": TRAIN.qid, "eval_set": EVAL_SET}
    return model.fit(TRAIN.X, TRAIN.y, **rows, callbacks=killed_after(kill_after), checkpoint=path, resume=resume)


OPTIONS: dict[str, Any] = {
    "colsample_bytree": 0.5,
    "query_subsample": 0.6,
    "bags": 2,
    "init": "logloss",
    "early_stopping_rounds": 4,
}


@pytest.fixture(
    scope="module",
    params=[{"split_noise": 0.0}, {"split_noise": 1.0, "ranking_noise": 0.1}, {"grow_policy": "symmetric"}],
    ids=["plain", "noisy", "symmetric"],
)
def undisturbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, bytes]:
    """Options, and the file of the model that they give."""
    path, options = tmp_path_factory.mktemp("undisturbed") / "model.rw", OPTIONS | request.param
    save(train(**options), path)
    return options, path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("kill_after", [1, 7, 11, 12, 21, 33, 35])
def test_resumed_is_undisturbed(tmp_path, kill_after, undisturbed) -> None:
    options, content = undisturbed
    with pytest.raises(KilledError):
        train(tmp_path / "run.npz", kill_after=kill_after, **options)
    save(train(tmp_path / "run.npz", resume=True, **options), tmp_path / "resumed.rw")
    assert (tmp_path / "resumed.rw").read_bytes() == content


def test_killed_in_every_round_is_undisturbed(tmp_path) -> None:
    for number in range(1, 11):
        with pytest.raises(KilledError):
            train(tmp_path / "run.npz", resume=True, kill_after=number, colsample_bytree=0.5)
    resumed = train(tmp_path / "run.npz", resume=True, colsample_bytree=0.5)
    undisturbed = train(colsample_bytree=0.5)
    assert np.array_equal(resumed.predict(VALID.X), undisturbed.predict(VALID.X))
    assert resumed.evals_result_ == undisturbed.evals_result_


SCRIPT = """
import sys
from rankwise.rankers import _checkpoint as checkpoint
from tests.rankers.trees.test_checkpoint import train
checkpoint.CHECKPOINT_SECONDS, checkpoint.MAX_IO_SHARE = 0.0, 1e9
train(sys.argv[1], n_estimators=300, early_stopping_rounds=None)
"""


@pytest.mark.slow
def test_killed_by_the_system(tmp_path) -> None:
    """A real SIGKILL at a moment of chance: what is on disk is whole, and goes on as if nothing had been."""
    path = tmp_path / "run.npz"
    kill_when_written(SCRIPT, path)
    options: dict[str, Any] = {"n_estimators": 300, "early_stopping_rounds": None}
    save(train(path, resume=True, **options), tmp_path / "resumed.rw")
    save(train(**options), tmp_path / "undisturbed.rw")
    assert (tmp_path / "resumed.rw").read_bytes() == (tmp_path / "undisturbed.rw").read_bytes()


def test_a_finished_run_is_read_from_its_checkpoint(tmp_path) -> None:
    first = train(tmp_path / "run.npz")
    seen = []
    again = LambdaMART("ndcg@10", n_estimators=10, num_leaves=7, random_state=0, n_jobs=1).fit(
        TRAIN.X, TRAIN.y, qid=TRAIN.qid, eval_set=EVAL_SET, checkpoint=tmp_path / "run.npz", resume=True,
        callbacks=[lambda *args: seen.append(args)],
    )  # fmt: skip
    assert seen == []
    assert np.array_equal(first.predict(VALID.X), again.predict(VALID.X))


def test_a_run_without_a_seed_keeps_the_one_it_drew(tmp_path) -> None:
    with pytest.raises(KilledError):
        train(tmp_path / "run.npz", kill_after=3, random_state=None, colsample_bytree=0.5)
    seed = checkpoint.read_checkpoint(tmp_path / "run.npz", TrainingState).seed
    train(tmp_path / "run.npz", resume=True, random_state=None, colsample_bytree=0.5)
    assert checkpoint.read_checkpoint(tmp_path / "run.npz", TrainingState).seed == seed


OTHER_PARAMETERS = {
    "metric": "ndcg@5",
    "n_estimators": 11,
    "learning_rate": 0.2,
    "num_leaves": 8,
    "grow_policy": "symmetric",
    "min_child_samples": 21,
    "min_sum_hessian_in_leaf": 0.01,
    "reg_lambda": 1.0,
    "colsample_bytree": 0.5,
    "max_bin": 63,
    "monotone_constraints": [1, 0, 0, 0, 0, 0],
    "categorical_feature": [],
    "surrogate": "swap",
    "norm": None,
    "sigma": 2.0,
    "bags": 2,
    "query_subsample": 0.5,
    "split_noise": 0.5,
    "ranking_noise": 0.1,
    "init": "l2",
    "early_stopping_rounds": 3,
    "random_state": 1,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.npz"
    train(path)
    return path


def test_every_parameter_is_tried() -> None:
    assert set(OTHER_PARAMETERS) | {"n_jobs", "verbose"} == set(LambdaMART().get_params())


@pytest.mark.parametrize("name", OTHER_PARAMETERS)
def test_another_run_is_not_resumed(run, name) -> None:
    with pytest.raises(DataError, match="other data or parameters"):
        train(run, resume=True, **{name: OTHER_PARAMETERS[name]})


def test_the_first_start_of_a_run_may_be_a_resumption(tmp_path) -> None:
    assert train(tmp_path / "new.npz", resume=True).best_iteration_ > 0


def test_threads_and_talk_may_change_between_kill_and_resumption(tmp_path) -> None:
    path = tmp_path / "run.npz"
    with pytest.raises(KilledError):
        train(path, kill_after=4, colsample_bytree=0.5)
    resumed = train(path, resume=True, colsample_bytree=0.5, n_jobs=2, verbose=3)
    undisturbed = train(colsample_bytree=0.5)
    assert [one.model_to_string() for one in resumed.boosters_] == [
        one.model_to_string() for one in undisturbed.boosters_
    ]


def fit(path, X, *, kill=False, eval_set=EVAL_SET, start=None, **parameters):
    def stop(number, _) -> None:
        if kill and number == 2:
            raise KilledError

    model = LambdaMART("ndcg@10", n_estimators=4, num_leaves=5, n_jobs=1, **{"random_state": 0, **parameters})
    run: dict[str, Any] = {"callbacks": [stop], "checkpoint": path, "resume": True}
    return model.fit(X, TRAIN.y, qid=TRAIN.qid, eval_set=eval_set, **run, **(start or {}))


TABLE = pd.DataFrame(TRAIN.X, columns=list("abcdef")).assign(kind=pd.Categorical(np.arange(len(TRAIN)) % 3))
SPARSE = sp.csr_matrix(np.where(TRAIN.X > 0, TRAIN.X, 0.0))


def moved_row_ends(X):
    """The same values in the same columns, one of them a row further up."""
    ends = X.indptr.copy()
    row = int(np.flatnonzero(np.diff(ends) > 0)[5])
    ends[row] += 1
    return sp.csr_matrix((X.data, X.indices, ends), X.shape)


OTHER_FEATURES = {
    "array": (TRAIN.X, np.where(np.arange(6) == 5, -TRAIN.X, TRAIN.X)),
    "table": (TABLE, TABLE.assign(f=-TABLE["f"])),
    "category": (TABLE, TABLE.assign(kind=pd.Categorical(np.arange(1, 1 + len(TRAIN)) % 3))),
    "arrow": (pa.Table.from_pandas(TABLE[list("ab")]), pa.Table.from_pandas(TABLE[list("ac")])),
    "sparse": (SPARSE, moved_row_ends(SPARSE)),
}


@pytest.mark.parametrize("form", OTHER_FEATURES)
def test_other_features_are_told_in_every_form(tmp_path, form) -> None:
    X, other = OTHER_FEATURES[form]
    with pytest.raises(KilledError):
        fit(tmp_path / "run.npz", X, kill=True, eval_set=None)
    with pytest.raises(DataError, match="other data or parameters"):
        fit(tmp_path / "run.npz", other, eval_set=None)
    assert fit(tmp_path / "run.npz", X, eval_set=None).best_iteration_ == 4


def test_long_names_of_queries_are_told_to_the_last(tmp_path) -> None:
    """numpy shows only the ends of a long array."""
    names = np.array([f"query {qid}" for qid in VALID.qid] * 3, dtype=object)
    X, y = np.tile(VALID.X, (3, 1)), np.tile(VALID.y, 3)
    fit(tmp_path / "run.npz", TRAIN.X, eval_set=(X, y, names))
    names[600] = "another"
    with pytest.raises(DataError, match="other data or parameters"):
        fit(tmp_path / "run.npz", TRAIN.X, eval_set=(X, y, names))


def test_objects_are_told_by_what_they_are_not_by_where(tmp_path) -> None:
    """A process that resumes has made its start, its generator and its metric anew."""
    first = train(n_estimators=2, early_stopping_rounds=None)
    save(first, tmp_path / "first.rw")
    for kill in (True, False):
        start = {"init_model": load(tmp_path / "first.rw").boosters_[0]}
        with pytest.raises(KilledError) if kill else nullcontext():
            fit(tmp_path / "run.npz", TRAIN.X, kill=kill, start=start, random_state=np.random.RandomState(3))
    scores = np.ones(len(TRAIN))
    for seed, other in (
        (4, start),
        (3, {"init_model": train(n_estimators=3, early_stopping_rounds=None)}),
        (3, {}),
        (3, start | {"init_score": scores, "eval_set": (*EVAL_SET, scores[: len(VALID)])}),
    ):
        random_state = np.random.RandomState(seed)
        with pytest.raises(DataError, match="other data or parameters"):
            fit(
                tmp_path / "run.npz",
                TRAIN.X,
                random_state=random_state,
                eval_set=other.pop("eval_set", EVAL_SET),
                start=other,
            )


def test_a_damaged_checkpoint_is_named(tmp_path) -> None:
    path = tmp_path / "run.npz"
    train(path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"text", whole.replace(b"leaf_value", b"leaf_valve", 1)):
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError, match="not a whole checkpoint"):
            train(path, resume=True)
