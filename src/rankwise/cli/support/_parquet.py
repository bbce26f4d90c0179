"""Parquet that is read in passes, on this machine or on a cluster, by the commands that can."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import ParquetRows

DaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        show_default=False,
        help="Work on the Dask cluster at this address, or local:2 for two processes here; DATA is then Parquet.",
    ),
]


def expand(files: list[Path] | None) -> list[Path]:
    """Files that patterns such as 'parts/*.parquet' stand for, where the shell was kept from it by quotes."""
    from rankwise.data._sources import expand_paths

    return expand_paths(files or [])


def parquet_rows(files: list[Path], skip_bad: bool, dask: str | None) -> ParquetRows | None:
    """The rows of files that are all Parquet, else None, which a cluster does not take."""
    from rankwise.data import ParquetRows
    from rankwise.data.io._formats import detect

    other = next((path for path in files if detect(path).format != "parquet"), None)
    if other is None and files:
        return ParquetRows.of(files, skip_bad=skip_bad)
    if dask is not None and other is not None:
        raise DataError(f"--dask reads Parquet, got {other}; convert it by rankwise data convert")
    return None


def cluster_of(where: str | None) -> Any:
    """A context whose value is a client of the cluster, or None where none is asked for."""
    if where is None:
        from contextlib import nullcontext

        return nullcontext()
    from rankwise.rankers.trees.dask import connect

    return connect(where)


def rounds_ahead(ranker: Any, rows: ParquetRows) -> int:
    """Rounds that training may take, as far as can be said before the labels are read."""
    plain_first = ranker.init in ("logloss", "l2") or (ranker.init == "auto" and not rows.has_qid)
    return int(ranker.bags * ranker.n_estimators * (2 if plain_first else 1))
