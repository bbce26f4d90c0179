"""A simulation that stops and goes on ends as if it had not stopped."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import DataError, ModelFileError
from rankwise.sampling import LossMin, Pool, Sampler
from rankwise.sampling.simulation._checkpoint import _checksum
from tests.sampling.factories import Centroid, binary, same

DATA, TEST = binary(seed=1), binary(queries=12, seed=2)


def run(sampler: Any = ("top", "random"), **settings: Any) -> rw.Simulation:
    asked: dict[str, Any] = {"ranker": Centroid(), "rounds": 3, "seeds": 3, "start": (1, 3), "n_jobs": 1, **settings}
    return rw.simulate(asked.pop("data", DATA), asked.pop("test", TEST), sampler, **asked)


@dataclass(frozen=True)
class Counted(Sampler):
    """Counts its choices, and fails at one of them; neither is a setting."""

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        CALLS.append(1)
        if len(CALLS) == FAILS_AT[0]:
            raise OSError("a power cut")
        return rng.random(pool.candidates.size)


CALLS: list[int] = []
FAILS_AT = [0]


def test_what_was_finished_is_not_run_again(tmp_path: Path) -> None:
    CALLS.clear()
    FAILS_AT[0] = 8
    with pytest.raises(OSError, match="a power cut"):
        run(Counted(), checkpoint=tmp_path / "runs.json")  # three rounds per run: in the third
    found = run(Counted(), checkpoint=tmp_path / "runs.json")
    assert len(CALLS) == 8 + 3
    same(found, run(Counted()))
    assert [path.name for path in tmp_path.iterdir()] == ["runs.json"]


def test_the_whole_result_is_in_the_file_seconds_included(tmp_path: Path) -> None:
    first = run(checkpoint=tmp_path / "runs.json")
    assert run(checkpoint=tmp_path / "runs.json").to_dict() == first.to_dict()


def test_samplers_and_seeds_may_be_added(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    run("top", seeds=2, checkpoint=file)
    same(run(("top", "random"), checkpoint=file), run(("top", "random")))
    same(run("random", seeds=[2, 0], checkpoint=file), run("random", seeds=[2, 0]))
    assert len(json.loads(file.read_text())["runs"]) == 6


def test_half_a_file_of_a_kill_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".0123456789ab.runs.json").write_text("{")
    run(checkpoint=tmp_path / "runs.json")
    assert [path.name for path in tmp_path.iterdir()] == ["runs.json"]


def test_a_kill_before_the_first_run(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    run(checkpoint=file)
    said = json.loads(file.read_text())
    del said["sha256"]
    said |= {"full": None, "runs": []}
    file.write_text(json.dumps(said | {"sha256": _checksum(said)}))
    same(run(checkpoint=file), run())


@pytest.mark.parametrize(
    "changed",
    [
        {"data": binary(seed=3)},
        {"data": rw.RankingData(DATA.X, DATA.y, DATA.qid + DATA.y)},
        {"test": binary(queries=12, seed=3)},
        {"test": rw.RankingData(TEST.X, 1 - TEST.y, TEST.qid)},
        {"ranker": Centroid(noise=0.5)},
        {"ranker": rw.RankSVM()},
        {"rounds": 4},
        {"per_query": 2},
        {"start": (1, 4)},
        {"metrics": "map"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_file_of_something_else_is_refused_and_kept(tmp_path: Path, changed: dict[str, Any]) -> None:
    file = tmp_path / "runs.json"
    run(checkpoint=file)
    before = file.read_bytes()
    with pytest.raises(ModelFileError, match="other data or parameters"):
        run(checkpoint=file, **changed)
    assert file.read_bytes() == before


def test_a_sampler_with_other_settings_is_refused_under_the_same_name(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    one, other = LossMin(trade_off=0.6), LossMin(trade_off=0.7)
    run(one, checkpoint=file)
    with pytest.raises(
        ModelFileError, match=re.escape(f"lossmin as {one}, got {other}; give the sampler another name")
    ):
        run(other, checkpoint=file)
    assert run({"another": other, "lossmin": one}, checkpoint=file).samplers == ["another", "lossmin"]


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"format": 1}', "\x00", "cut", "field", "format"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "runs.json"
    run(checkpoint=file)
    whole = file.read_text()
    said = json.loads(whole)
    said["runs"][0].pop("values")
    made = {"cut": whole[:-20], "field": json.dumps(said), "format": json.dumps({**json.loads(whole), "format": 3})}
    file.write_text(made.get(damage, damage))
    with pytest.raises(
        ModelFileError, match="format 3" if damage == "format" else "not the checkpoint of a simulation"
    ):
        run(checkpoint=file)


def test_a_place_that_cannot_be_written_is_known_before_the_work(tmp_path: Path) -> None:
    CALLS.clear()
    with pytest.raises(DataError, match="there is no folder"):
        run(Counted(), checkpoint=tmp_path / "nowhere" / "runs.json")
    assert CALLS == []
