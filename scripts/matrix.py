"""A smoke of the suite with each Python that pyproject.toml names, with the lowest and the newest dependencies.

    python -m scripts.matrix [3.12-lowest ...]

`make test-matrix` runs all cells. Each installs the wheel and its extras into a venv of its own, out/matrix/CELL, and
then runs the contract of a metric and of rankers of each family, and the tests of eval, compare, export, `serve` and
the label store. A Python that neither pyenv nor PATH has is named and left out. What passed goes, cell by cell, to
benchmarks/results/versions-matrix.json.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.harness import RESULTS, write
from scripts.lowest import lowest_versions

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "out" / "matrix"
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
EXTRAS = {11: "torch,onnx,serve"}  # nothing may pull another build of torch than the local one, which is for 3.11
BESIDES = ("pytest", "hypothesis", "pandas")
TESTS = (
    "tests/contract/test_metric_contract.py",
    "tests/contract/test_ranker_contract.py",
    *(f"tests/cli/commands/test_{name}.py" for name in ("evaluate", "compare", "export")),
    "tests/serve/ranking/test_rank.py",
    "tests/labels/test_store.py",
)
CHOSEN = "not contract or mrr or lambdamart-0 or lambdarank-0 or ranksvm-0"
RESULT = RESULTS / "versions-matrix.json"


@dataclass(frozen=True)
class Cell:
    """A Python and its dependencies, and whether the smoke passed."""

    date: str
    python: str
    dependencies: str
    extras: str
    passed: bool
    failure: str
    tests: int
    skipped: int
    packages: dict[str, str]


def minors() -> list[int]:
    """The versions 3.x that the classifiers name."""
    classifiers = tomllib.loads(PYPROJECT)["project"]["classifiers"]
    return [int(match[1]) for name in classifiers if (match := re.search(r":: 3\.(\d+)$", name))]


def interpreter(minor: int) -> str | None:
    """A Python 3.`minor`, of pyenv or on PATH."""
    versions = (Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*/bin/python")
    newest = max(versions, key=lambda path: [int(part) for part in path.parts[-3].split(".")], default=None)
    return str(newest) if newest is not None else shutil.which(f"python3.{minor}")


def run_cell(python: str, minor: int, dependencies: str, wheel: Path) -> Cell:
    """Install and test; the venv stays if something failed, and its log beside it in any case."""
    venv = FOLDER / f"3.{minor}-{dependencies}"
    extras, said, failure = EXTRAS.get(minor, "onnx,serve"), "", ""
    with (FOLDER / f"{venv.name}.log").open("w") as log:

        def run(*command: str | Path) -> str:
            print("$", *command, file=log, flush=True)
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            done = subprocess.run(
                [str(part) for part in command],
                cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            )  # fmt: skip
            print(done.stdout, file=log, flush=True)
            if done.returncode:
                raise RuntimeError(f"{' '.join(map(str, command))[:120]} ended with {done.returncode}")
            return done.stdout

        run(python, "-m", "venv", "--clear", venv)
        bounds, executable = lowest_versions(PYPROJECT, minor), venv / "bin" / "python"
        try:
            constraints = venv / "constraints.txt"
            pinned = bounds if dependencies == "lowest" else {"torch": bounds["torch"]}
            constraints.write_text("".join(f"{name}=={version}\n" for name, version in pinned.items()))
            run(
                executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile",
                "--prefer-binary", "-c", constraints, f"{wheel}[{extras}]", *BESIDES,
            )  # fmt: skip
            run(venv / "bin" / "rankwise", "--version")
            # -W default: what old versions warn of is not ours to mend.
            said = run(
                executable, "-m", "pytest", "-rs", "-W", "default", "-p", "no:cacheprovider", *TESTS, "-k", CHOSEN
            )
        except RuntimeError as problem:
            failure = str(problem)
        (listed,) = re.findall(r"^\[.*", run(executable, "-m", "pip", "list", "--format", "json"), re.M)
    installed = {package["name"].lower().replace("_", "-"): package["version"] for package in json.loads(listed)}
    if not failure:
        shutil.rmtree(venv)
    packages = {name: installed[name] for name in bounds if name in installed}
    version = subprocess.run(
        [python, "-c", "import platform; print(platform.python_version())"], capture_output=True, text=True, check=True
    )
    tests, skipped = (sum(map(int, re.findall(rf"(\d+) {outcome}", said))) for outcome in ("passed", "skipped"))
    today, exact = time.strftime("%Y-%m-%d"), version.stdout.strip()
    return Cell(today, exact, dependencies, extras, not failure, failure, tests, skipped, packages)


def main() -> int:
    """Run the cells that the arguments name, or all; 1 if one failed."""
    wanted = sys.argv[1:]
    shutil.rmtree(ROOT / "build", ignore_errors=True)  # of which setuptools would take files that are gone
    FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(FOLDER), str(ROOT)],
        check=True,
    )
    wheel = max(FOLDER.glob("rankwise-*.whl"), key=lambda path: path.stat().st_mtime)
    passed = True
    for minor in minors():
        python = interpreter(minor)
        if python is None:
            print(f"Python 3.{minor}: neither pyenv nor PATH has it, left out")
            continue
        for dependencies in ("lowest", "newest"):
            name = f"3.{minor}-{dependencies}"
            if wanted and name not in wanted:
                continue
            began = time.monotonic()
            cell = run_cell(python, minor, dependencies, wheel)
            cells = json.loads(RESULT.read_text())["cells"] if RESULT.exists() else {}
            write(RESULT.stem, {"cells": dict(sorted({**cells, name: asdict(cell)}.items()))})
            passed &= cell.passed
            result = f"{cell.tests} tests, {cell.skipped} skipped" if cell.passed else f"FAILED: {cell.failure}"
            print(f"Python {cell.python}, {dependencies}: {result} ({time.monotonic() - began:.0f} s)", flush=True)
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())
