"""Parquet that is read in passes, on this machine or on a cluster, by the commands that can."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rankwise.cli._options import option
from rankwise.cli.support._models import row_scores
from rankwise.cli.support._reading import ReadOptions, is_parquet
from rankwise.errors import DataError

if TYPE_CHECKING:
    from distributed import Client

    from rankwise.data import ParquetRows
    from rankwise.types import AnyArray, FloatArray

DaskOption = Annotated[
    str | None,
    option(
        "--dask",
        "Work on the Dask cluster at this address, or local:2 for two processes here; DATA is then Parquet.",
        "ADDRESS",
    ),
]


def parquet_rows(files: list[Path], reading: ReadOptions) -> ParquetRows:
    """The rows of files that `reading` can stream; the others are what a cluster does not take."""
    from rankwise.data import ParquetRows

    for path in files:
        if not is_parquet(path):
            raise DataError(f"--dask reads Parquet, got {path}; convert it by rankwise data convert")
    if not reading.can_stream(files):
        raise DataError("--dask reads columns by their usual names, got other names; rename the columns")
    return ParquetRows.of(files, skip_bad=reading.skip_bad)


def cluster_client(address: str | None) -> AbstractContextManager[Client | None]:
    """A context whose value is a client of the cluster, or None where none is asked for."""
    if address is None:
        return nullcontext()
    from rankwise.rankers.trees.dask import connect

    client: AbstractContextManager[Client] = connect(address)
    return client


def streamed_answers(
    model: Any, rows: ParquetRows, client: Client | None, answer: Callable[[Any, object], AnyArray] = row_scores
) -> Iterator[AnyArray]:
    """Answers of a model for rows that are read in passes, some at a time; scores by a cluster if there is a client."""
    from rankwise.rankers._features import MatchedColumns, categories_of, feature_names_of

    rows = rows.with_features(feature_names_of(model), model.n_features_in_, categories_of(model))
    if client is None:
        return (answer(model, MatchedColumns(batch.X)) for batch in rows.batches())
    from rankwise.rankers.trees.dask import cluster_scores

    if not hasattr(model, "boosters_"):
        raise DataError(f"--dask scores by a model of trees, got one of kind {model.kind}; drop it")
    scores: Iterator[FloatArray] = cluster_scores(model.boosters_, client, rows)
    return scores
