"""`--checkpoint DIR`: where training is written down as it goes, and whether to go on from there."""

from __future__ import annotations

from pathlib import Path

from rankwise.cli._output import print_notes
from rankwise.errors import DataError


def checkpoint_file(folder: Path | None, resume: bool) -> Path | None:
    """The file in the folder that training keeps up to date; the folder is made if need be.

    The folder is there from the start, so one without a checkpoint is what a kill in the first seconds leaves.
    """
    if folder is None:
        if resume:
            raise DataError("--resume needs the folder of the training to go on with, got none; pass --checkpoint DIR")
        return None
    if folder.exists() and not folder.is_dir():
        raise DataError(f"--checkpoint must be a folder, got the file {folder}; name another")
    from rankwise.rankers._checkpoint import CHECKPOINT_FILE

    path = folder / CHECKPOINT_FILE
    if resume and not folder.exists():
        raise DataError(f"--resume found no checkpoint, got {folder}, which does not exist; start without --resume")
    if resume and not path.exists():
        print_notes([f"{folder} has no checkpoint yet, so training starts from the beginning"])
    if path.exists() and not resume:
        raise DataError(
            f"{folder} has the checkpoint of an earlier training, which would be lost; "
            "pass --resume to go on with it, or name another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for left_over in folder.glob(f".????????????.{CHECKPOINT_FILE}"):
        left_over.unlink()  # half a file, from a kill while it was written
    return path
