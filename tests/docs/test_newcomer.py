"""A newcomer: an empty folder, the wheel of this tree, and what README and the tours say."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doc_tables import ROOT

pytestmark = pytest.mark.slow

# What the pages suppose that a reader has: files of the examples that come with the package.
FILES = """
import csv
import rankwise as rw
train, test = (data.rows(range(800)) for data in rw.load_example("digits"))
train, valid = rw.data.split(train, (0.8, 0.2))
for name, data in {"train": train, "valid": valid, "test": test}.items():
    rw.write(data, f"{name}.txt")
open("today.txt", "w").writelines(f"{score}\\n" for score in -test.X.sum(axis=1))
for name, data in zip(("cases", "new"), rw.load_example("breast_cancer")):
    with open(f"{name}.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*data.feature_names, "fraud"])
        rows.writerows([*x, "yes" if y else "no"] for x, y in zip(data.X.tolist(), data.y))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the tree, put into a folder by pip, which needs no network for it."""
    folder = tmp_path_factory.mktemp("newcomer")
    tree, site = folder / "tree", folder / "site"
    tree.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", *offline, "--no-build-isolation", "-w", str(folder), str(tree)], check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "install", *offline, "--no-compile", "--target", str(site), str(wheel)], check=True)
    _take_compiled_code(ROOT / "src", site)
    return site


def _take_compiled_code(source: Path, target: Path) -> None:
    """Code that numba compiled for the tree serves its copy, which saves half a minute."""
    for path in source.rglob("*.py"):
        copy = target / path.relative_to(source)
        if copy.exists():
            assert copy.read_bytes() == path.read_bytes()
            shutil.copystat(path, copy)
    for path in [*source.rglob("*.nbi"), *source.rglob("*.nbc")]:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(path, copy)


def run(installed: Path, folder: Path, *command: str) -> str:
    """What a program of the installed package prints in an empty folder."""
    search = {"PYTHONPATH": str(installed), "OMP_NUM_THREADS": "1", "PYTHONSAFEPATH": "1"}
    settings = {"cwd": folder, "env": os.environ | search, "capture_output": True, "text": True, "check": False}
    result: subprocess.CompletedProcess[str] = subprocess.run([sys.executable, *command], **settings)  # type: ignore[call-overload]
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_wheel_is_what_is_tried(installed: Path, tmp_path: Path) -> None:
    where = run(installed, tmp_path, "-c", "import rankwise; print(rankwise.__file__)")
    assert Path(where.strip()).is_relative_to(installed)
    assert not (installed / "tests").exists()


def test_the_readme_runs_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text((ROOT / "README.md").read_text())
    told = run(installed, tmp_path, "-m", "doctest", "-v", "README.md")
    assert "'trees'" in told
    assert (tmp_path / "model.rw").stat().st_size > 1000


def lines(page: str) -> list[str]:
    """Commands of a page that neither install something nor go on until they are stopped."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    found = [line for block in blocks for line in block.splitlines()]
    return [line for line in found if re.match(r"rankwise (?!serve|label)", line)]


def test_the_commands_of_the_tours_run(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "-c", FILES)
    commands = [*lines("docs/tours/search-engineer.md"), *lines("docs/tours/fraud-analyst.md")]
    told = {line: run(installed, tmp_path, "-m", *shlex.split(line, comments=True)) for line in commands}
    assert [line.split()[1] for line in told] == ["train", "predict", "compare", "train", "predict", "certify"]
    by_command = {line.split()[1]: text for line, text in told.items()}
    assert "ndcg@10" in by_command["compare"]
    assert "With confidence 0.9" in by_command["certify"]
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert len((tmp_path / "scores.txt").read_text().splitlines()) == 284
