"""Results that are older than the code they measure do not go unseen."""

from __future__ import annotations

import json

import pytest

from benchmarks import sources
from benchmarks.sources import FIRST_PAGES, RESULTS

CODE = '''
def double(x):
    """Twice x."""
    return 2 * x  # why
'''


def test_comments_docstrings_and_layout_do_not_make_a_result_old() -> None:
    same = "# moved\ndef double(x):\n\n    'Another text.'\n    return (2 *\n        x)\n"
    assert sources.code_hash(CODE) == sources.code_hash(same)


def test_code_does() -> None:
    assert sources.code_hash(CODE) != sources.code_hash(CODE.replace("2 *", "3 *"))


@pytest.mark.parametrize("name", sorted(path.stem for path in RESULTS.glob("*.json")))
def test_every_result_says_what_it_was_measured_by(name: str) -> None:
    source = json.loads((RESULTS / f"{name}.json").read_text())["source"]
    assert len(source["hash"]) == 16
    assert source["commit"]
    assert sources.file_hashes(name), "it depends on no file that is there"


def test_a_result_is_current_by_the_hash_it_was_measured_or_confirmed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "source_hash", lambda result: "now")
    assert sources.is_current("metrics", {"hash": "now"})
    assert sources.is_current("metrics", {"hash": "then", "confirmed": {"hash": "now"}})
    assert not sources.is_current("metrics", {"hash": "then", "confirmed": {"hash": "later"}})


def test_a_commit_that_never_landed_is_said_to_be_missing() -> None:
    assert sources.changed_files("metrics", {"commit": "0" * 12}) == [sources.NO_COMMIT]


@pytest.mark.parametrize("name", FIRST_PAGES)
def test_what_the_first_pages_show_is_what_the_code_gives(name: str) -> None:
    source = json.loads((RESULTS / f"{name}.json").read_text())["source"]
    assert sources.is_current(name, source), (
        f"results/{name}.json is older than the code it measures: run benchmarks/{name}.py "
        "(it_pays.py --confirm, if the figures should not have changed)"
    )
