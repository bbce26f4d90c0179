"""Rounds and models: what was chosen, by what, how good that was."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.errors import DataError, StoreError
from rankwise.labels import LabelStore


def test_rounds_are_kept_as_they_began(path: Path, store: LabelStore) -> None:
    assert [(r.number, r.sampler, r.items, r.labelled) for r in store.rounds()] == [(0, None, (), 0)]
    store.judge(0, 1, "ana")
    store.judge(0, 1, "ben")
    store.judge(1, 1, "ben")
    store.undo("ben")
    store.begin_round(
        1, [4, 2], sampler="lossmin", ranker="lambdamart", metrics={"ndcg@10": 0.5, "map": 0.25}, gain=0.1
    )
    assert store.judge(4, 2, "ana").round == 1
    store.begin_round(2, [1], sampler="top", ranker="ranksvm")
    store.close()
    with LabelStore.open(path) as again:
        _, first, second = again.rounds()
    assert (first.number, first.sampler, first.ranker, first.gain) == (1, "lossmin", "lambdamart", 0.1)
    assert (first.items, first.metrics, first.labelled) == ((4, 2), {"ndcg@10": 0.5, "map": 0.25}, 1)
    assert (second.number, second.items, second.metrics, second.gain, second.labelled) == (2, (1,), {}, None, 2)


def test_a_page_of_the_round_before_is_refused(store: LabelStore) -> None:
    store.begin_round(1, [0], sampler="top", ranker="ranksvm")
    store.judge(0, 1, "ana", round=1)
    store.begin_round(2, [1], sampler="top", ranker="ranksvm")
    with pytest.raises(DataError, match="round 1 is not open, round 2 is"):
        store.judge(0, 2, "ana", round=1)
    assert store.labels()[0] == 1
    assert store.undo("ana").round == 2  # a mistake may be taken back in a later round


def test_models_are_known_by_their_bytes(path: Path, store: LabelStore, tmp_path: Path) -> None:
    (tmp_path / "model.rw").write_bytes(b"model")
    store.begin_round(1, [0], sampler="top", ranker="ranksvm")
    recorded = store.record_model(tmp_path / "model.rw")
    assert recorded.sha256 == "9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4"
    assert store.models() == [recorded]
    assert recorded.round == 1
    assert recorded.check() == tmp_path / "model.rw"
    (tmp_path / "model.rw").write_bytes(b"other")
    with pytest.raises(StoreError, match="is not the model of round 1 any more"):
        recorded.check()
    (tmp_path / "model.rw").unlink()
    with pytest.raises(StoreError, match="is gone"):
        recorded.check()
