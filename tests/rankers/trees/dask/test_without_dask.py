"""dask is an extra: its absence is one clear sentence."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rankwise.data import polynomial, write

WITHOUT = """
import importlib.machinery as machinery
found = machinery.PathFinder.find_spec
machinery.PathFinder.find_spec = lambda name, *more: (
    None if name in ("dask", "distributed") else found(name, *more)
)
import rankwise
rankwise.LambdaMART(n_estimators=1).fit("data.parquet")
try:
    rankwise.LambdaMART().fit("data.parquet", client="tcp://10.0.0.1:8786")
except ImportError as problem:
    print(type(problem).__name__, problem, flush=True)
from rankwise.cli import app
app(["train", "data.parquet", "--dask", "local:2", "-o", "m.rw"])
"""


@pytest.mark.slow
def test_without_dask_the_remedy_is_named(tmp_path) -> None:
    write(polynomial(queries=10, documents=10, features=3), tmp_path / "data.parquet")
    result = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, cwd=tmp_path)
    remedy = "dask is not installed; run: pip install 'rankwise[dask]'\n"
    assert (result.stdout, result.stderr) == (f"MissingExtraError {remedy}", f"rankwise: {remedy}")
    assert result.returncode == 2
