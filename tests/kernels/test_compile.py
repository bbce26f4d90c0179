"""The compile cache never serves old code, need not exist, and compiling leaves nothing half done."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from rankwise.kernels import _compile
from rankwise.kernels._compile import has_compiled, kernel, on_compile, specialize
from rankwise.types import FloatArray

METRIC = """
from dataclasses import dataclass
from typing import ClassVar
from rankwise import Metric, evaluate
from rankwise.metrics import compiled, helper

FACTOR = {factor}

@helper
def worth(label):
    return {worth}

@dataclass(frozen=True)
class Mine(Metric):
    name: ClassVar[str] = "mine"

    @compiled
    def _value(self, ranked, ideal):
        return FACTOR * worth(ranked[0])

if __name__ == "__main__":
    print(evaluate([3, 1], [2, 1], metrics=[Mine()])["mine"])
"""


def run(path: Path, factor: int, worth: str) -> float:
    path.write_text(METRIC.format(factor=factor, worth=worth))
    return float(subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
def test_a_changed_helper_or_constant_is_seen(tmp_path: Path) -> None:
    """numba's own cache would serve the first result each time: the loop's file did not change."""
    path = tmp_path / "mine.py"
    assert run(path, 1, "label") == 3
    assert run(path, 1, "label + 1") == 4
    assert run(path, 2, "label + 1") == 8


def test_compiled_code_is_known_of_in_the_process_and_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> Any:
        def twice(values: FloatArray) -> FloatArray:
            return 2.0 * values

        return kernel(twice)

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    function = made()
    assert not has_compiled(function)
    assert function(np.ones(2)).tolist() == [2.0, 2.0]
    assert has_compiled(function)
    assert has_compiled(made())  # as another process would find it


WITHOUT_A_CACHE = """
import logging
logging.basicConfig(level=logging.INFO, format="%(message)s")
import numpy as np
from rankwise import evaluate
from rankwise.kernels._compile import kernel

@kernel
def double(x):
    return 2.0 * x

print(evaluate([3, 1], [2, 1], metrics=["ndcg"])["ndcg"], double(np.array([1.5]))[0])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "cache",
    [
        {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "NUMBA_CACHE_DIR": "{file}/cache"},
        {
            "NUMBA_CACHE_LOCATOR_CLASSES": "UserWideCacheLocator",
            "HOME": "/proc/nowhere",
            "XDG_CACHE_HOME": "/proc/nowhere",
        },
    ],
    ids=["NUMBA_CACHE_DIR cannot be made", "no home"],
)
def test_without_a_place_for_a_cache_all_works(cache: dict[str, str], tmp_path: Path) -> None:
    """As in a read-only image: root may write anywhere, so that numba is left the one place that cannot be made."""
    (tmp_path / "file").touch()
    (tmp_path / "script.py").write_text(WITHOUT_A_CACHE)
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {name: value.format(file=tmp_path / "file") for name, value in cache.items()}
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.stdout.split() == ["1.0", "3.0"], done.stderr
    assert done.stderr.count("compiled code cannot be kept (no folder can be written)") == 1
    assert "set NUMBA_CACHE_DIR to a folder" in done.stderr


def test_a_cache_that_cannot_be_read_or_written_is_done_without(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(_compile.FunctionCache, "load_overload", fail)  # type: ignore[attr-defined]
    monkeypatch.setattr(_compile.FunctionCache, "save_overload", fail)  # type: ignore[attr-defined]

    @kernel
    def triple(x: FloatArray) -> FloatArray:
        return 3.0 * x

    with caplog.at_level(logging.INFO, "rankwise"):
        assert triple(np.array([1.0, 2.0])).tolist() == [3.0, 6.0]
    assert "No space left on device" in caplog.text


def test_numbers_of_a_template_are_in_the_name_of_the_cached_code() -> None:
    """However long the names of its functions are: what is cut off must not be what differs."""

    def template(x: float) -> float:
        return put_in(x) * FACTOR  # type: ignore[name-defined]  # noqa: F821

    def long_name(x: float) -> float:
        return x

    long_name.__qualname__ = "long_name" * 30
    two, three = (specialize(template, put_in=long_name, FACTOR=factor) for factor in (2, 3))
    assert (two(1.0), three(1.0)) == (2.0, 3.0)
    assert two.py_func.__qualname__ != three.py_func.__qualname__  # type: ignore[attr-defined]


def test_only_the_outermost_compilation_is_told() -> None:
    @numba.njit
    def inner(x: Any) -> Any:
        return x + 1.0

    @numba.njit
    def outer(x: Any) -> Any:
        return inner(x) * 2.0

    calls: list[bool] = []
    with on_compile(calls.append):
        assert outer(1.0) == 4.0
        assert outer(2.0) == 6.0
    assert calls == [True, False]
    outer(np.float32(1.0))
    assert calls == [True, False]


INTERRUPTED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a run in the background may ignore
import numpy as np
from rankwise.kernels._compile import on_compile
from rankwise.objectives import LambdaObjective

y, scores = np.arange(40) % 4, np.arange(40.0)

def note(begins):
    if begins:
        print("compiling", flush=True)

for _ in range(2):
    try:
        with on_compile(note):
            gradient, _ = LambdaObjective("ndcg@7", y, method="linear").gradients(scores)
        print("sum", abs(gradient.sum()) < 1e-9, abs(gradient).max() > 0, flush=True)
    except KeyboardInterrupt:
        print("interrupted", signal.getsignal(signal.SIGINT) is signal.default_int_handler, flush=True)
"""


@pytest.mark.slow
def test_ctrl_c_while_compiling_comes_after_it_and_leaves_nothing_half_compiled(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "compiling\n"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=600)
    finally:
        process.kill()
    lines = [line for line in output.splitlines() if line != "compiling"]
    assert lines == ["interrupted True", "sum True True"], errors
    assert errors == ""


def test_interrupts_while_compiling_reach_the_handler_once() -> None:
    """The handler in place, whatever it is, is called after the compilation; many interrupts are one."""
    calls: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: calls.append(number))

    def interrupt(begins: bool) -> None:
        if begins:
            for _ in range(3):
                os.kill(os.getpid(), signal.SIGINT)
        else:
            assert calls == []

    @numba.njit
    def half(x: Any) -> Any:
        return x / 2.0

    try:
        with on_compile(interrupt):
            assert half(3.0) == 1.5
    finally:
        signal.signal(signal.SIGINT, handler)
    assert calls == [signal.SIGINT]
    assert len(half.signatures) == 1
