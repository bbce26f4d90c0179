"""Bad input is one sentence, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.labels import LabelStore

Act = Callable[[LabelStore], Any]

BAD: dict[str, tuple[Act, str]] = {
    "an item too high": (lambda s: s.judge(6, 1, "ana"), "an item must be a whole number from 0 to 5, got '6'"),
    "an item below 0": (lambda s: s.judge(-1, 1, "ana"), "an item must be"),
    "an item beyond SQLite": (lambda s: s.judge(2**70, 1, "ana"), "an item must be"),
    "an item that is text": (lambda s: s.judge("0", 1, "ana"), "an item must be"),  # type: ignore[arg-type]
    "a grade too high": (lambda s: s.judge(0, 5, "ana"), "a grade must be a whole number from 0 to 4, got '5'"),
    "a grade below 0": (lambda s: s.judge(0, -1, "ana"), "a grade must be"),
    "a grade between": (lambda s: s.judge(0, 1.5, "ana"), "a grade must be"),  # type: ignore[arg-type]
    "a grade that is true": (lambda s: s.judge(0, True, "ana"), "a grade must be"),
    "no grade": (lambda s: s.judge(0, None, "ana"), "a grade must be"),  # type: ignore[arg-type]
    "a round that is over": (lambda s: s.judge(0, 1, "ana", round=0), "round 0 is not open, round 1 is; load"),
    "a round to come": (lambda s: s.skip(0, "ana", round=2), "round 2 is not open"),
    "a round that is text": (lambda s: s.note(0, "x", "ana", round="1"), "round 1 is not open"),  # type: ignore[arg-type]
    "a round that is true": (lambda s: s.judge(0, 1, "ana", round=True), "round True is not open"),
    "nobody": (lambda s: s.judge(0, 1, ""), "the name of a labeller must be visible"),
    "a blank": (lambda s: s.judge(0, 1, " ana"), "the name of a labeller must be visible"),
    "a control character": (lambda s: s.undo("an\0a"), "the name of a labeller must be visible"),
    "a long name": (lambda s: s.skip(0, "a" * 101), "at most 100 characters, got 101"),
    "a name that is none": (lambda s: s.judged_by(None), "must be text, got NoneType"),  # type: ignore[arg-type]
    "a long note": (lambda s: s.note(0, "a" * 10_001, "ana"), "a note must have at most 10000 characters"),
    "half a character": (lambda s: s.judge(0, 1, "ana", note="\ud800"), "a note must be Unicode text"),
    "an unknown item's history": (lambda s: s.history(6), "an item must be"),
    "an unknown item's text": (lambda s: s.item(6), "an item must be"),
    "nothing to undo": (lambda s: s.undo("zoe"), "zoe has nothing to undo"),
    "an undo of another": (lambda s: s.undo("ben", last=99), "the last judgement of ben is 1, not 99"),
    "a round that began": (lambda s: begin(s, 1), "the round to begin is 2, got 1; another may have begun it"),
    "a round too far": (lambda s: begin(s, 3), "the round to begin is 2, got 3"),
    "a round of unknown items": (lambda s: begin(s, 2, items=[6]), "an item must be"),
    "a round of one item twice": (lambda s: begin(s, 2, items=[1, 1]), "a round must have an item once"),
    "a metric that is no number": (lambda s: begin(s, 2, metrics={"map": np.nan}), "must be finite, got nan"),
    "a gain without end": (lambda s: begin(s, 2, gain=np.inf), "must be finite, got inf"),
    "a model that is not there": (lambda s: s.record_model("none.rw"), "there is no model file none.rw"),
    "nothing to export": (lambda s: s.export_judgements("out.txt", "zoe"), "there is nothing to write to out.txt"),
}


def begin(store: LabelStore, number: int, items: list[int] | None = None, **more: Any) -> None:
    store.begin_round(number, items or [0], sampler="top", ranker="ranksvm", **more)


def everything(store: LabelStore) -> list[Any]:
    tables = ("facts", "queries", "items", "rounds", "choices", "models", "judgements")
    return [store._database.rows(f"SELECT * FROM {table}") for table in tables]


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_sentence_and_changes_nothing(
    store: LabelStore, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store.judge(3, 2, "ben")
    begin(store, 1)
    before = everything(store)
    act, words = BAD[case]
    with pytest.raises(DataError, match=words) as raised:
        act(store)
    assert "\n" not in str(raised.value)
    assert everything(store) == before
    assert not Path("out.txt").exists()
    store.judge(0, 1, "ana", round=1)  # and it still works


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"doc_ids": ["a", "b", "a", "c", "d", "e"]}, "got 'a' twice in query '7', again at row 2"),
        ({"doc_ids": ["a", "b", "", "c", "d", "e"]}, "got no id at row 2"),
        ({"scores": np.zeros(6)}, "no place for scores"),
        ({"qid": ["\ud800"] * 6}, "a qid must be Unicode"),
    ],
)
def test_data_that_cannot_be_labelled(path: Path, data: RankingData, change: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        LabelStore.create(path, replace(data, **change))
    assert not path.exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"texts": {"a": 3}}, "document 'a' must have a text or a mapping of fields, got int"),
        ({"texts": {"a": {"x": {1}}}}, "document 'a' has fields that are not JSON"),
        ({"query_texts": {7: {"x": float("nan")}}}, "query '7' has fields that are not JSON"),
        ({"highest_grade": 0}, "the highest grade must be a whole number from 1 to 100"),
    ],
)
def test_texts_and_scales_that_cannot_be(path: Path, data: RankingData, more: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        LabelStore.create(path, data, **more)
    assert not path.exists()
