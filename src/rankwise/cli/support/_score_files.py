"""Scores written as they come: one number per line, or a Parquet file with a column `score`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any


def is_parquet(path: Path) -> bool:
    """Whether the name of a file says that it is Parquet."""
    from rankwise.data.io._formats import PARQUET_ENDINGS

    return path.suffix.lower() in PARQUET_ENDINGS


def write_scores(pieces: Iterator[Any], out: Path | None) -> int:
    """Write pieces of scores, one after the other, to a file or to stdout; how many scores there were."""
    if out is None:
        count = 0
        for scores in pieces:
            count += len(scores)
            print("\n".join(map(repr, scores.tolist())))
        return count
    from rankwise.data import atomic_path

    with atomic_path(out) as temporary:
        return _write_parquet(pieces, temporary) if is_parquet(out) else _write_text(pieces, temporary)


def _write_text(pieces: Iterator[Any], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for scores in pieces:
            count += len(scores)
            file.write("".join(f"{score!r}\n" for score in scores.tolist()))
    return count


def _write_parquet(pieces: Iterator[Any], path: Path) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    count = 0
    with parquet.ParquetWriter(path, pa.schema([("score", pa.float64())])) as writer:
        for scores in pieces:
            count += len(scores)
            writer.write_table(pa.table({"score": scores}))
    return count
