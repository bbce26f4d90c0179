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


def test_the_matrix_has_the_lower_bounds_of_each_python() -> None:
    result = ROOT / "benchmarks" / "results" / "versions-matrix.json"
    if not result.exists():
        pytest.skip("make test-matrix has not been run")
    for name, cell in json.loads(result.read_text())["cells"].items():
        minor, dependencies = name.removeprefix("3.").split("-")
        bounds = lowest_versions(PYPROJECT, int(minor))
        assert (cell["passed"], cell["dependencies"]) == (True, dependencies), cell["failure"]
        assert {"numpy", "scipy", "numba", "lightgbm", "typer", "onnx"} <= set(cell["packages"])
        for package, version in cell["packages"].items():
            found = Version(version).release
            wanted = padded(bounds[package], len(found))
            assert found == wanted if dependencies == "lowest" else found >= wanted, (name, package)


def padded(version: str, length: int) -> tuple[int, ...]:
    release = Version(version).release
    return release + (0,) * (length - len(release))


def test_bounds_follow_the_version_of_python() -> None:
    pyproject = """
        [project]
        name = "p"
        dependencies = ["a>=1; python_version < '3.13'", "a>=2.5; python_version >= '3.13'", "p[x]"]
        [project.optional-dependencies]
        x = ["b[c]>=3"]
    """
    assert lowest_versions(pyproject, 12) == {"a": "1", "b": "3"}
    assert lowest_versions(pyproject, 13) == {"a": "2.5", "b": "3"}
    with pytest.raises(SystemExit, match="has no lower bound"):
        lowest_versions(pyproject.replace("python_version <", "os_name <"), 12)


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
