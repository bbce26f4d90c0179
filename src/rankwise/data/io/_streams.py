"""Files as streams of bytes, compressed or not, and streams as chunks of whole lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from rankwise.errors import DataError, FormatError

# Ending, first bytes, and how to open; zstd by pyarrow, which (unlike zstandard) notices a cut-off file.
_OPENERS: dict[str, tuple[bytes, Callable[[str], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\x00", lzma.open),
    ".zst": (b"\x28\xb5\x2f\xfd", lambda path: pa.CompressedInputStream(pa.OSFile(path, "rb"), "zstd")),
}
COMPRESSIONS = tuple(_OPENERS)
NEWLINE = 10
BUFFER_BYTES = 1 << 16
MAX_SKIPPED = 1 << 20  # bytes at once
# Text of numbers shrinks to a fifth, at most to a fiftieth; a file that is made to fill the memory by a thousand.
MAX_UNPACKED_RATIO, MIN_UNPACKED_LIMIT = 100, 1 << 26


def without_compression(path: Path) -> Path:
    """`part.txt` for `part.txt.gz`."""
    return path.with_suffix("") if path.suffix in COMPRESSIONS else path


@contextmanager
def open_stream(path: Path) -> Iterator[io.BufferedReader]:
    """The bytes of a file, unpacked if its first bytes say that it is packed; it fails by `DataError`."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; name the files in it")
    if not path.exists():
        raise DataError(f"{path} does not exist; check the name and the folder you are in")
    if not path.is_file():
        raise DataError(f"{path} is a pipe or a device, which cannot be read twice; save it to a file first")
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except PermissionError as error:
        raise DataError(f"{path} may not be read; change its permissions") from error
    kind = next((kind for kind, (magic, _) in _OPENERS.items() if head.startswith(magic)), None)
    if kind is None:
        if head and path.suffix in COMPRESSIONS:
            raise FormatError(f"this is not a {path.suffix} archive, got bytes {head!r}; rename it", path=path)
        with path.open("rb") as file:
            yield file
        return
    with _OPENERS[kind][1](str(path)) as file:
        yield io.BufferedReader(_Guarded(file, path, kind), BUFFER_BYTES)


def opened_to_write(path: Path, ending: str) -> Any:
    """A file to write to, packed as the ending says, at levels not much slower than the formatting."""
    match ending:
        case ".gz":
            return gzip.open(path, "wb", compresslevel=5)
        case ".bz2":
            return bz2.open(path, "wb", compresslevel=5)
        case ".xz":
            return lzma.open(path, "wb", preset=1)
        case ".zst":
            return pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd")
        case _:
            return path.open("wb")


class _Guarded(io.RawIOBase):
    """Turns what the decompressors raise, each in its own way, into one clear error."""

    def __init__(self, file: Any, path: Path, kind: str) -> None:
        self._file, self._path, self._kind = file, path, kind
        self._left = max(MAX_UNPACKED_RATIO * path.stat().st_size, MIN_UNPACKED_LIMIT)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            size = int(self._file.readinto(buffer))
        except (EOFError, OSError, ValueError, MemoryError, zlib.error, lzma.LZMAError) as error:
            reason = str(error) or type(error).__name__
            raise FormatError(
                f"this {self._kind} archive is cut off or damaged ({reason}); download or compress it again",
                path=self._path,
            ) from error
        self._left -= size
        if self._left < 0:
            raise FormatError(
                f"this {self._kind} archive unpacks to over {MAX_UNPACKED_RATIO} times its size, which data hardly do; "
                "unpack it by yourself if you trust it",
                path=self._path,
            )
        return size


def skip_bytes(file: io.BufferedReader, count: int) -> None:
    """Read so many bytes, since a packed file cannot be entered at a place."""
    while count > 0 and (block := file.read(min(count, MAX_SKIPPED))):
        count -= len(block)


def fill_lines(file: io.BufferedReader, buffer: bytearray, carried: bytes) -> tuple[int, bytes]:
    """Fill `buffer` with `carried` (the start of a line) and what follows in the file.

    Gives the size of the whole lines in it and the start of the line after those. A newline stands behind
    the whole lines, even where the file ends without one. The buffer grows if a line does not fit.
    """
    size = len(carried)
    if size + 1 >= len(buffer):
        buffer.extend(bytes(size + 1))
    buffer[:size] = carried
    while True:
        with memoryview(buffer) as view:
            got = file.readinto(view[size:-1])
        if not got:
            buffer[size] = NEWLINE
            return size, b""
        size += got
        if size == len(buffer) - 1:
            whole = buffer.rfind(b"\n", 0, size) + 1
            if whole:
                carried = bytes(buffer[whole:size])
                buffer[whole] = NEWLINE
                return whole, carried
            buffer.extend(bytes(size))
