"""An environment of its own for LibAUC, which Eban 2017's benchmark compares with.

    python benchmarks/papers/eban_libauc.py        # prints the interpreter; makes the environment when there is none

It sees the packages of the environment that runs this script, torch among them, and installs LibAUC without its
dependencies: these would pull another torch. Its losses are then asked for one step each, so that a benchmark fails
here, with a sentence, and not an hour later.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

LIBAUC = "libauc==2.0.1"
FOLDER = Path.home() / ".cache" / "rankwise" / LIBAUC.replace("==", "-")
ONE_STEP = """
import torch
from libauc.losses import APLoss, AUCMLoss, pAUCLoss
rows = torch.arange(64)
y = (rows % 8 == 0).float().view(-1, 1)
for loss in (APLoss(data_len=64, device="cpu"), AUCMLoss(device="cpu"), pAUCLoss(mode="1w", data_len=64, device="cpu")):
    net = torch.nn.Linear(3, 1)
    p = torch.sigmoid(net(torch.randn(64, 3)))
    (loss(p, y) if isinstance(loss, AUCMLoss) else loss(p, y, rows)).backward()
    assert torch.isfinite(net.weight.grad).all(), loss
"""


def libauc_python() -> Path:
    """The interpreter that has LibAUC; a sentence and the end when it cannot be had."""
    python = FOLDER / "bin" / "python"
    try:
        if not (FOLDER / "ready").exists():
            _make(python)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = getattr(error, "stderr", None) or error
        raise SystemExit(f"LibAUC is left out: its environment in {FOLDER} could not be made ({reason})") from error
    return python


def _make(python: Path) -> None:
    venv.create(FOLDER, with_pip=True, clear=True)
    place = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(_output(place).strip())
    (packages / "rankwise-environment.pth").write_text(sysconfig.get_path("purelib") + "\n")
    _output([str(python), "-m", "pip", "install", "--quiet", "--no-deps", LIBAUC])
    _output([str(python), "-c", ONE_STEP])
    (FOLDER / "ready").touch()


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.stdout.write(f"{libauc_python()}\n")
