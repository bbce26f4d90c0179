"""Version, citation, changelog, hooks and templates say the same as the package."""

from __future__ import annotations

import datetime
import re
import shlex
import tomllib
from typing import Any

import pytest

import rankwise
from scripts.matrix import interpreter, minors
from tests.doc_tables import ROOT

yaml = pytest.importorskip("yaml")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RELEASES = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_version_is_one() -> None:
    newest, date = next(release.split(" - ") for release in RELEASES if release != "Unreleased")
    assert rankwise.__version__ == PROJECT["version"] == newest == CITATION["version"]
    assert str(CITATION["date-released"]) == date


def test_releases_are_versions_with_dates_the_newest_first() -> None:
    dated = [release.split(" - ") for release in RELEASES if release != "Unreleased"]
    versions = [tuple(map(int, version.split("."))) for version, _ in dated]
    dates = [datetime.date.fromisoformat(date) for _, date in dated]
    assert versions == sorted(set(versions), reverse=True)
    assert dates == sorted(dates, reverse=True)
    assert RELEASES.count("Unreleased") == (RELEASES[0] == "Unreleased")


def test_the_citation_has_what_the_format_asks_for() -> None:
    """Citation File Format 1.2.0: what is required, and the types of what is here."""
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert isinstance(CITATION["date-released"], datetime.date)
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["keywords"] == PROJECT["keywords"]
    assert CITATION["abstract"] == PROJECT["description"]
    for entry in (CITATION, *CITATION["references"]):
        assert isinstance(entry["title"], str)
        assert entry["authors"]
        assert all(set(author) in ({"name"}, {"family-names", "given-names"}) for author in entry["authors"])
    known = "abstract authors cff-version date-released keywords license message references title type version"
    assert set(CITATION) == set(known.split())


def test_the_citation_has_the_papers() -> None:
    """Authors, year and title as docs/papers.md has them."""
    table = re.findall(r"^\| (\w+) (\d{4}) \| .*?: \*(.+?)\* \|", (ROOT / "docs" / "papers.md").read_text(), re.M)
    cited = [
        (paper["authors"][0]["family-names"], str(paper["year"]), paper["title"]) for paper in CITATION["references"]
    ]
    assert len(table) == 5
    assert sorted(cited) == sorted(table)
    for paper in CITATION["references"]:
        assert set(paper) == {"type", "title", "authors", "year", "conference"}
        assert paper["type"] == "conference-paper"


def test_the_hooks_run_what_make_lint_runs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [repository["repo"] for repository in hooks] == ["local"]
    entries = [shlex.split(hook["entry"]) for hook in hooks[0]["hooks"]]
    linted = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)
    assert linted is not None
    recipe = [shlex.split(line.replace("$(BIN)", ".venv/bin")) for line in linted[1].splitlines()]
    assert entries == [[word for word in command if word != "."] for command in recipe]


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda p: p.stem)
def test_an_issue_template_is_a_form(path: Any) -> None:
    form = yaml.safe_load(path.read_text())
    assert {"name", "description", "body"} <= set(form)
    inputs = [part for part in form["body"] if part["type"] != "markdown"]
    assert all(part["type"] in ("input", "textarea") and part["attributes"]["label"] for part in inputs)
    assert len({part["id"] for part in inputs}) == len(inputs)
    assert any(part.get("validations", {}).get("required") for part in inputs)


def test_the_matrix_has_the_pythons_of_the_classifiers() -> None:
    lowest = int(PROJECT["requires-python"].removeprefix(">=3."))
    assert minors() == list(range(lowest, lowest + 3))
    assert interpreter(999) is None
