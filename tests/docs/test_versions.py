"""Bounds and files of the package are what was tested, and what a wheel would hold."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from packaging.version import Version

from scripts.check_dist import package_files
from scripts.lowest import lowest_versions
from tests.doc_tables import ROOT

PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_lower_bounds_are_the_versions_tested() -> None:
    result = ROOT / "benchmarks" / "results" / "versions-oldest.json"
    if not result.exists():
        pytest.skip("make test-oldest has not been run to its end")
    packages, bounds = json.loads(result.read_text())["packages"], lowest_versions(PYPROJECT)
    assert {name: Version(packages[name]).release for name in bounds} == {
        name: padded(bound, len(Version(packages[name]).release)) for name, bound in bounds.items()
    }


def padded(version: str, length: int) -> tuple[int, ...]:
    release = Version(version).release
    return release + (0,) * (length - len(release))


def test_a_requirement_without_a_lower_bound_is_refused() -> None:
    with pytest.raises(SystemExit, match="'scipy' has no lower bound"):
        lowest_versions(PYPROJECT.replace('"scipy>=', '"scipy", "scipy>='))
    with pytest.raises(SystemExit, match=r"psutil has the bounds .* and 9\.9"):
        lowest_versions(PYPROJECT.replace("\ntest = [", '\ntest = ["psutil>=9.9",'))


def test_a_wheel_has_a_place_for_each_file_of_the_package() -> None:
    """setuptools leaves out, without a word, folders that are no packages and files that no pattern names."""
    patterns = tomllib.loads(PYPROJECT)["tool"]["setuptools"]["package-data"]["rankwise"]
    folder = ROOT / "src" / "rankwise"
    named = {path.relative_to(ROOT / "src").as_posix() for pattern in patterns for path in folder.glob(pattern)}
    files = package_files()
    assert {name for name in files if not name.endswith(".py")} == named
    assert {f"{Path(name).parent.as_posix()}/__init__.py" for name in files if name.endswith(".py")} <= files
