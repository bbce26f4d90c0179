"""A file of lines in chunks, which threads deal with while the results come in order."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Protocol, TypeVar

from rankwise.data.io._streams import fill_lines, open_stream, skip_bytes

CHUNK_BYTES = 1 << 20


class LineChunk(Protocol):
    """Whole lines: the first `size` bytes of `text`, behind which stands a newline."""

    text: bytearray
    size: int


AnyChunk = TypeVar("AnyChunk", bound=LineChunk)
Argument = TypeVar("Argument")
Result = TypeVar("Result")


def each_chunk(
    path: Path,
    buffers: Sequence[AnyChunk],
    task: Callable[[AnyChunk, Argument | None], Result],
    arguments: Iterator[Argument],
    start: int = 0,
) -> Iterator[Result]:
    """`task(chunk, argument)` for each chunk of the file from byte `start` on, on threads, results in order.

    Buffers go round: one more than there are threads, since a chunk is dealt with before the next is read.
    """
    threads = len(buffers) - 1
    waiting: deque[Future[Result]] = deque()
    with open_stream(path) as file, ThreadPoolExecutor(threads) as pool:
        skip_bytes(file, start)
        carried = b""
        number = 0
        while True:
            chunk = buffers[number % len(buffers)]
            chunk.size, carried = fill_lines(file, chunk.text, carried)
            if chunk.size == 0:
                break
            if number == start == 0 and chunk.text.startswith(codecs.BOM_UTF8):
                chunk.text[: len(codecs.BOM_UTF8)] = b" " * len(codecs.BOM_UTF8)
            waiting.append(pool.submit(task, chunk, next(arguments, None)))
            number += 1
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
