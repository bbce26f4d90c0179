"""Which results are older than the code they measure: `make results-check`.

    python benchmarks/sources.py [--json]

Each JSON in results/ has under "source" the commit it was measured at and a hash of the code it depends on: the files
of SOURCES, without comments and docstrings. A result whose hash is not today's is older than its code;
the table says which files changed since. Where a rerun takes hours, a script can repeat a part of it (`it_pays.py
--confirm`): if that gives the figures of the file, the new hash is put beside the old one under "confirmed".
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
EVALUATION = (
    "metrics/_evaluate.py",
    "metrics/_ranking.py",
    "metrics/catalogue/",
    "kernels/_metric",
    "kernels/sorting/",
)
LAMBDAS = ("objectives/lambdas/_", "kernels/pairs/", *EVALUATION)
TREES = ("rankers/trees/_", "kernels/_binned_columns.py", "kernels/_symmetric_splits.py", *LAMBDAS)
PAIRS = ("rankers/pairs/", "kernels/_decision_stumps.py", "kernels/pairs/", "kernels/rows/", *EVALUATION)
NETS = ("rankers/nets/", "losses/", *LAMBDAS)
RATES = ("rankers/rates/", "objectives/rates/", "kernels/rows/", *EVALUATION)
MARGINS = ("objectives/margins/", "data/make/", *PAIRS)
SAMPLING = ("sampling/", "data/make/", *PAIRS)
SOURCES: dict[str, tuple[str, ...]] = {
    "auto": ("selection/", *TREES, *PAIRS, *NETS),
    "auto_rules": ("selection/", *TREES, *PAIRS, *NETS),
    "bags": TREES,
    "busy_machine": ("__init__.py", *TREES),
    "burges_ndcg": ("data/make/", "objectives/lambdas/examples.py", *NETS),
    "burges_speed": NETS,
    "capacity": TREES,
    "certify": ("metrics/certification/", *EVALUATION),
    "cold_start": ("kernels/", "metrics/_evaluate.py", "metrics/catalogue/", "objectives/lambdas/_"),
    "clicks": ("data/make/_clicks.py", *TREES),
    "donmez": SAMPLING,
    "eban": RATES,
    "eban-whole-nets": ("losses/", "objectives/rates/", *EVALUATION),
    "extreme_numbers": (
        "_validation.py",
        "data/_ranking_data.py",
        "data/_groups.py",
        "rankers/_features.py",
        *EVALUATION,
    ),
    "faults": (
        "rankers/_checkpoint.py",
        "sampling/simulation/",
        "cli/_errors.py",
        "__main__.py",
        "kernels/_compile.py",
    ),
    "fuzz_inputs": (
        "data/io/",
        "labels/_database.py",
        "labels/_items.py",
        "labels/_files.py",
        "metrics/_names.py",
        "rankers/_checkpoint.py",
    ),
    "fuzz_models": (
        "models/",
        "rankers/_persistence.py",
        "rankers/_parameters.py",
        "rankers/_score_functions/",
        "rankers/trees/_tree_checks.py",
        "rankers/trees/_model_text.py",
        "rankers/trees/_saved.py",
        "rankers/nets/_saved.py",
        "rankers/rates/_saved.py",
        "rankers/pairs/margin/_saved.py",
        "selection/_auto_saved.py",
    ),
    "fuzz_settings": (
        "_validation.py",
        "rankers/_parameters.py",
        "rankers/_features.py",
        "losses/",
        "sampling/_base.py",
        "sampling/strategies/",
        "selection/",
    ),
    "growth": (*TREES, *PAIRS, *NETS, *RATES, *MARGINS),
    "it_pays": TREES,
    "label_faults": ("labels/", "serve/labelling/"),
    "labels": ("labels/",),
    "lambdamart": TREES,
    "lambda_growth": LAMBDAS,
    "lambdas": LAMBDAS,
    "letor": ("data/io/", *TREES, *PAIRS),
    "local_optimum": ("analysis/_local_optimum.py", *TREES),
    "long_lists": (*NETS, *TREES),
    "margins": MARGINS,
    "metrics": EVALUATION,
    "nets": NETS,
    "one_list": ("metrics/comparison/", "kernels/rows/_row_draws.py", *EVALUATION),
    "peers": ("rankers/trees/_lambdamart.py",),
    "quantiles": ("data/prepare/_quantiles.py", *TREES, *PAIRS),
    "ranksvm": PAIRS,
    "rates": ("losses/", "objectives/rates/"),
    "rates_cost": RATES,
    "read": (
        *("data/io/_letor", "data/io/_read.py", "data/io/_streams.py", "data/io/_formats.py"),
        *("kernels/_letor_text.py", "data/_ranking_data.py"),
    ),  # of LETOR text alone
    "samplers": (*SAMPLING, *TREES),
    "sampling-bound": SAMPLING,
    "scale": ("data/", "rankers/trees/dask/", *TREES),
    "serve": ("serve/ranking/", "rankers/_score_functions/", "kernels/_tree_scoring.py", "kernels/_json_rows.py"),
    "serve_abuse": ("serve/_", "serve/ranking/"),
    "suehiro": MARGINS,
    "surrogates": TREES,
    "tree_scoring": (
        *("kernels/_tree_scoring.py", "kernels/_words.py", "rankers/_score_functions/"),
        *("rankers/trees/_predict.py", "rankers/trees/_score_function.py"),
    ),
    "tune_lambdamart": TREES,
    "versions": ("",),
    "warm_start": TREES,
    "welleck": (*TREES, *PAIRS),
}
"""By the beginning of a result's name the beginnings of the paths, below src/rankwise, that it depends on."""
FIRST_PAGES = ("it_pays", "metrics", "read", "lambdas", "peers", "quantiles")
"""Results on README and docs' first pages: a test fails while one of them is older than its code."""

NO_COMMIT = "(a commit that is not in this clone)"

Reader = Callable[[str], str | None]


def sources_of(result: str) -> tuple[str, ...]:
    """What the result depends on, by the longest beginning of its name that SOURCES has."""
    names = [name for name in SOURCES if result == name or result.startswith((f"{name}-", f"{name}_"))]
    if not names:
        raise KeyError(f"benchmarks/sources.py does not say what {result} depends on; add it to SOURCES")
    return SOURCES[max(names, key=len)]


def file_hashes(result: str, commit: str | None = None) -> dict[str, str]:
    """By file the hash of its code, today or at a commit."""
    read: Reader = _text_today if commit is None else lambda path: _text_at(commit, path)
    paths = _files_today() if commit is None else _files_at(commit)
    chosen = [path for path in paths if path.startswith(tuple(f"src/rankwise/{part}" for part in sources_of(result)))]
    return {path: code_hash(text) for path in sorted(chosen) if (text := read(path)) is not None}


def source_hash(result: str, commit: str | None = None) -> str:
    """One hash of all that the result depends on."""
    return _digest(json.dumps(file_hashes(result, commit)))


def code_hash(text: str) -> str:
    """A hash of Python code that comments, docstrings and the layout of lines do not change."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            # A string that stands alone says something, and does nothing.
            node.body = [part for part in body if not _is_text(part)] or [ast.Pass()]  # type: ignore[attr-defined]
    return _digest(ast.unparse(tree))


def stamp(result: str) -> dict[str, str]:
    """What goes under "source" of a result that is written now."""
    return {"commit": head(), "hash": source_hash(result)}


def is_current(result: str, source: dict[str, Any]) -> bool:
    """Whether the code that a result depends on is the code it was measured, or confirmed, by."""
    return source_hash(result) in (source.get("hash"), source.get("confirmed", {}).get("hash"))


def changed_files(result: str, source: dict[str, Any]) -> list[str]:
    """What has changed since the commit of a result; nothing is known of a commit that never landed."""
    if not _is_commit(source["commit"]):
        return [NO_COMMIT]
    before, now = file_hashes(result, source["commit"]), file_hashes(result)
    return [path for path in sorted(before | now) if before.get(path) != now.get(path)]


def confirm(result: str) -> None:
    """Note that the code of today gives the figures of the file."""
    path = RESULTS / f"{result}.json"
    content = json.loads(path.read_text())
    content["source"]["confirmed"] = stamp(result)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def head() -> str:
    return _git("rev-parse", "--short=12", "HEAD").strip()


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_commit(name: str) -> bool:
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{name}^{{commit}}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


@cache
def _files_today() -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in (ROOT / "src" / "rankwise").rglob("*.py")]


@cache
def _files_at(commit: str) -> list[str]:
    paths = _git("ls-tree", "-r", "--name-only", commit, "src/rankwise").splitlines()
    return [path for path in paths if path.endswith(".py")]


def _text_today(path: str) -> str:
    return (ROOT / path).read_text()


@cache
def _text_at(commit: str, path: str) -> str | None:
    return _git("show", f"{commit}:{path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for path in sorted(RESULTS.glob("*.json")):
        source = json.loads(path.read_text())["source"]
        current = is_current(path.stem, source)
        files = [] if current else changed_files(path.stem, source)
        rows.append({"result": path.stem, "commit": source["commit"], "current": current, "changed": files})
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    table = Table(title="results and the code they measure")
    for column in ("result", "measured at", "state", "changed since"):
        table.add_column(column)
    for row in rows:
        files = [file.removeprefix("src/rankwise/") for file in row["changed"]]
        more = f" and {len(files) - 3} more" if len(files) > 3 else ""
        table.add_row(
            row["result"], row["commit"], "current" if row["current"] else "OLDER", ", ".join(files[:3]) + more
        )
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
