"""`rankwise data split`: parts of a data set by whole queries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs
from rankwise.cli.support._reading import ReadOptions, read_data, reads_data, write_data
from rankwise.errors import DataError


@reads_data
def split(
    data: options.DataFiles,
    out: Annotated[Path, option("--out", "Folder for the parts; made if need be.", "DIR")],
    fractions: Annotated[
        str, option("--fractions", "Share of the queries of each part, with commas between.")
    ] = "0.6,0.2,0.2",
    names: Annotated[str, option("--names", "Name of each part, with commas between.")] = "train,valid,test",
    ext: Annotated[
        str, option("--ext", "Ending of the files, which is their format: txt, csv, parquet, txt.gz.")
    ] = "txt",
    seed: options.SeedOption = 0,
    *,
    reading: ReadOptions,
) -> None:
    """Split data at random into parts of whole queries.

    Example: rankwise data split all.txt --out parts --fractions 0.8,0.2 --names train,test
    """
    shares, labels = _numbers(fractions), [name.strip() for name in names.split(",")]
    if len(shares) != len(labels) or len(set(labels)) < len(labels) or not all(map(_is_file_name, labels)):
        raise DataError(
            f"--names must have a different file name for each of the {len(shares)} fractions, got {names!r}; "
            "name every part once"
        )
    paths = [out / f"{label}.{ext.lstrip('.')}" for label in labels]
    check_outputs([out, *paths], data)
    rows = read_data(data, reading)
    from rankwise.data import split as split_queries

    parts = split_queries(rows, shares, seed)
    out.mkdir(parents=True, exist_ok=True)
    write_data(dict(zip(paths, parts, strict=True)))


def _numbers(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise DataError(f"--fractions must be numbers with commas between, got {text!r}; write 0.8,0.2") from None


def _is_file_name(name: str) -> bool:
    return bool(name) and Path(name).name == name
