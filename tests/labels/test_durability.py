"""An acknowledged judgement is never lost: processes killed again and again, and logs cut off at any byte."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.labels import LabelStore
from rankwise.labels import _database as database

pytestmark = pytest.mark.slow

KILLS = 60  # of which benchmarks/label_faults.py counts a thousand


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL and no fork")
def test_writers_killed_again_and_again_lose_nothing(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "label_kills.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), str(KILLS), "0"], capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    # The checks are made after every kill, in the script; here, that there was something to check.
    assert counts["kills"] >= KILLS
    assert counts["acknowledged"] >= KILLS * 2 // 3
    assert counts["found"] >= counts["acknowledged"]
    assert counts["creations"] == KILLS // 10


@pytest.mark.parametrize("torn", [False, True])
def test_a_power_cut_leaves_what_was_acknowledged(
    path: Path, store: LabelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torn: bool
) -> None:
    """The log as the disk would have it if power had gone at any moment: cut, or with rubbish after the cut."""
    monkeypatch.setattr(database, "CHECKPOINT_BYTES", 1 << 30)
    log = path.with_name("labels.db-wal")
    draw = random.Random(0)
    ends = []
    for turn in range(40):
        store.judge(turn % 6, turn % 5, "ana", note="x" * draw.randrange(5000))
        ends.append(log.stat().st_size)
    whole = log.read_bytes()
    assert ends == sorted(set(ends))
    for _ in range(60):
        cut = draw.randrange(ends[0], len(whole) + 1)
        rubbish = draw.randbytes(draw.randrange(5000)) if torn else b""
        copy = tmp_path / "copy.db"
        shutil.copyfile(path, copy)
        copy.with_name("copy.db-wal").write_bytes(whole[:cut] + rubbish)
        with LabelStore.open(copy) as left:
            assert left._database.rows("PRAGMA integrity_check") == [("ok",)]
            found = sorted(act.id for item in range(6) for act in left.history(item))
        assert found == list(range(1, 1 + sum(end <= cut for end in ends)))
