"""Python runs kernels on few rows, with the very results of the compiled code, and compiles where that pays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

import rankwise as rw
from rankwise.kernels import _compile, _tiers
from rankwise.kernels._tiers import TieredDispatcher
from rankwise.kernels.rows import _row_hash as row_hash
from rankwise.kernels.sorting import _ranks as ranks
from rankwise.metrics import parse
from rankwise.metrics._names import EXAMPLES
from rankwise.types import FloatArray
from tests.contract.test_metric_contract import VARIANTS


def by_python(self: TieredDispatcher, *arguments: object) -> object:
    with np.errstate(all="ignore"):
        return self.twin(*map(_tiers._as_python, arguments))


def by_machine(self: TieredDispatcher, *arguments: object) -> object:
    return CPUDispatcher.__call__(self, *arguments)


@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize("metric", [*EXAMPLES, *VARIANTS])
def test_both_tiers_have_the_same_bits(metric: str, fractional: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    sizes = np.array([1, 2, 7, 40, 300, 2500])
    qid = np.repeat(np.arange(sizes.size), sizes)
    y = rng.integers(-1, 5, qid.size) * 1.0
    if fractional:
        y = np.where(y > 0, y * rng.random(qid.size), y)
    scores = np.round(rng.normal(size=qid.size), 1)  # with many ties, which ERR takes time for
    scores[qid < 5] = np.where(rng.random((qid < 5).sum()) < 0.1, -np.inf, scores[qid < 5])
    results = []
    for call in (by_machine, by_python):
        monkeypatch.setattr(TieredDispatcher, "__call__", call)
        results.append(rw.evaluate(y, scores, qid, [metric], convention="trec", ties="expected").per_query[metric])
    np.testing.assert_array_equal(results[0], results[1])


COLD = """
import numpy as np
import rankwise as rw
from rankwise.kernels._compile import on_compile
compiled = []
with on_compile(compiled.append):
    y, scores, qid = np.arange(60) % 3, np.arange(60) * 7 % 11, np.arange(60) // 6
    rw.evaluate(y, scores, qid, ["ndcg@10", "map", "auc", "mrr", "err@10"])
    rw.compare(y, {"a": scores, "b": -scores}, qid, ["ndcg@10", "map"])
print(len(compiled))
"""


@pytest.mark.slow
def test_a_first_evaluation_of_few_rows_compiles_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COLD], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["0"], done.stderr


def twin(x: FloatArray, out: FloatArray) -> None:
    out[:] = -1.0


def code(x: FloatArray, out: FloatArray) -> None:
    for i in range(x.size):
        out[i] = 2.0 * x[i]


@pytest.fixture
def _few_rows_by_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_tiers, "MAX_ROWS", 100)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))  # so that a run before has left no compiled code


@pytest.mark.usefixtures("_few_rows_by_python")
def test_many_rows_and_long_runs_are_compiled() -> None:
    few, many = np.ones(3), np.ones(_tiers.MAX_ROWS + 1)
    tiered = _compile._compile(code, "code-few", twin=twin)  # type: ignore[arg-type]
    tiered(few, few)
    assert few.tolist() == [-1.0] * 3
    tiered(many, many)
    assert (many == 2.0).all()
    few[:] = 1.0
    tiered(few, few)
    assert few.tolist() == [2.0] * 3, "once there is compiled code it is used"


@pytest.mark.usefixtures("_few_rows_by_python")
def test_python_is_given_up_when_it_took_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    tiered = _compile._compile(code, "code-long", twin=twin)  # type: ignore[arg-type]
    ticks = iter([0.0, _tiers.PATIENCE + 1.0])
    monkeypatch.setattr(_tiers.time, "perf_counter", lambda: next(ticks))  # type: ignore[attr-defined]
    x = np.ones(3)
    tiered(x, x)
    monkeypatch.setattr(_tiers.time, "perf_counter", lambda: 0.0)  # type: ignore[attr-defined]
    tiered(x, x)
    assert x.tolist() == [-2.0] * 3


@pytest.mark.usefixtures("_few_rows_by_python")
def test_what_python_refuses_to_divide_is_compiled() -> None:
    def divide(x: FloatArray, out: FloatArray) -> None:
        out[0] = 1.0 / float(x[0])

    tiered = _compile._compile(divide, "divide", twin=divide)  # type: ignore[arg-type]
    out = np.zeros(1)
    tiered(np.zeros(1), out)
    assert out[0] == np.inf


def test_all_metrics_of_ours_are_interpretable() -> None:
    loops = {name: parse(name).query_loop() for name in EXAMPLES}
    assert all(isinstance(loop.run.func, TieredDispatcher) for loop in loops.values() if loop)  # type: ignore[attr-defined]
    assert sum(loop is not None for loop in loops.values()) > 15


def test_sorting_twins() -> None:
    rng = np.random.default_rng(0)
    offsets = np.array([0, 1, 4, 304, 900])
    for _ in range(20):
        scores = np.round(rng.normal(size=900), rng.integers(0, 3)) + 0.0
        scores[rng.random(900) < 0.05] = -np.inf
        key = rng.integers(0, 9, 900) * 1.0
        for low, high in ((0, 4), (1, 3)):
            orders = []
            for call in (by_machine, by_python):
                order = np.zeros(900, dtype=np.int64)
                call(ranks.rank_short_lists, scores, offsets, 900, low, high, order)  # type: ignore[arg-type]
                call(ranks.order_ties, scores, key, offsets, 900, low, high, order)  # type: ignore[arg-type]
                orders.append(order)
            np.testing.assert_array_equal(orders[0], orders[1])


def test_hashes_of_rows_by_numpy() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(50, 7)).round(1).astype(np.float32)
    multipliers, seed = rng.integers(0, 2**64, 7, dtype=np.uint64), np.uint64(2**64 - 2)
    results = []
    for call in (by_machine, by_python):
        sums = np.arange(50, dtype=np.uint64)
        call(row_hash.add_dense, numbers, multipliers, sums)  # type: ignore[arg-type]
        results.append([sums, *(call(h, sums, seed) for h in (row_hash.uniform_hash, row_hash.bell_hash))])  # type: ignore[arg-type]
    np.testing.assert_array_equal(results[0], results[1])
