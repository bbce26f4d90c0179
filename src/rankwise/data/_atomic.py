"""Files that are either whole or not there."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from rankwise.errors import DataError


def resolved_path(path: str | PathLike[str]) -> Path:
    """Where links lead to; a DataError where that is nowhere."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as problem:  # a loop of links, a name that is too long, a zero byte
        reason = " ".join(str(problem).split())
        raise DataError(f"{path!s:.200} is not a place that can be written to ({reason}); name another file") from None


@contextmanager
def atomic_path(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, with its ending; what was written there takes its place at the end.

    If the block raises, the temporary file is removed and an older file at `path` stays as it was.

    Parameters
    ----------
    path : str or path
        Where the file is to be.

    Yields
    ------
    Path
        Where to write it.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp(), "model.txt")
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> target.read_text(), [p.name for p in target.parent.iterdir()]
    ('whole', ['model.txt'])
    """
    target = resolved_path(path)  # a link stays a link
    if not target.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {target.parent}; create it first")
    if target.is_dir():
        raise DataError(f"cannot write {path}: it is a folder; name a file in it")
    if target.exists() and not target.is_file():
        # Renaming over /dev/null would replace the device for everybody.
        raise DataError(f"cannot write {path}: it is a device or a pipe; name a file")
    temporary = target.with_name(f".{secrets.token_hex(6)}.{target.name}")
    try:
        yield temporary
        # Contents reach the disk before the name does, or a power cut could leave an empty file.
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
