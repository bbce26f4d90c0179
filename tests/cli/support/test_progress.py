"""The bar that a person sees while a model is trained."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROWS = "".join(f"{i % 3} qid:{i // 5} 1:{i % 7} 2:{i % 4}\n" for i in range(100))
START = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a run in the background may ignore
from rankwise.cli import main
main()
"""


def read_until(terminal: int, word: bytes, seconds: float) -> bytes:
    """What is printed up to a word, or up to the end."""
    text, end = b"", time.monotonic() + seconds
    while word not in text and time.monotonic() < end:
        try:
            text += os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
    return text


@pytest.mark.slow
def test_the_bar_says_compiling_and_ctrl_c_then_ends_the_command(tmp_path: Path) -> None:
    """Without a cache every loop is compiled; Ctrl-C in the middle of it is as clean as elsewhere."""
    (tmp_path / "train.txt").write_text(ROWS)
    terminal, other_end = pty.openpty()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "TERM": "xterm", "COLUMNS": "120"}
    command = [sys.executable, "-c", START, "train", "train.txt", "-o", "model.rw", "--set", "n_estimators=3"]
    process = subprocess.Popen(
        command, stdin=other_end, stdout=other_end, stderr=other_end, cwd=tmp_path, env=environment
    )
    os.close(other_end)
    try:
        text = read_until(terminal, b"compiling", seconds=300)
        assert b"compiling" in text, text.decode()
        process.send_signal(signal.SIGINT)
        text += read_until(terminal, b"no such word", seconds=300)
        assert process.wait(timeout=300) == 130, text.decode()
        assert b"Traceback" not in text
        assert b"KeyboardInterrupt" not in text
        assert not (tmp_path / "model.rw").exists()
    finally:
        process.kill()
        os.close(terminal)
