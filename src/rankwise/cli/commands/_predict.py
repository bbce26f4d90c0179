"""`rankwise predict`: scores of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, working
from rankwise.cli.support._models import load_model, row_scores
from rankwise.cli.support._parquet import DaskOption, cluster_client, parquet_rows, streamed_scores
from rankwise.cli.support._reading import ReadOptions, is_parquet, read_features, reads_data
from rankwise.errors import DataError

TAG = "rankwise"  # who made the run


@reads_data
def predict(
    model: options.ModelFile,
    data: options.DataFiles,
    out: Annotated[
        Path | None, option("--out", "File to write: Parquet, or plain text.", "FILE", short="-o", default="stdout")
    ] = None,
    trec_run: Annotated[bool, option("--trec-run", "Write a TREC run (qid Q0 document rank score tag).")] = False,
    dask: DaskOption = None,
    *,
    reading: ReadOptions,
) -> None:
    """Score data by a model: one number per line in the order of the rows, as eval and compare read it.

    Example: rankwise predict m.rw test.txt -o scores.txt

    As a TREC run: rankwise predict m.rw test.txt --trec-run -o run.txt

    On a cluster: rankwise predict m.rw 'parts/*.parquet' --dask local:2 -o scores.parquet
    """
    check_outputs([out], [model, *data])
    if out is not None:
        _check_ending(out)
    loaded = load_model(model)
    if trec_run and (dask is not None or (out is not None and is_parquet(out))):
        raise DataError("--trec-run writes text on this machine, got --dask or a Parquet file; drop one of the two")
    from rankwise.cli.support._scores import write_lines, write_scores

    if dask is not None or (not trec_run and reading.can_stream(data)):
        with cluster_client(dask) as client, working("scoring"):
            n_scores = write_scores(streamed_scores(loaded, parquet_rows(data, reading), client), out)
        queries = ""
    else:
        rows = read_features(data, reading)
        n_scores, queries = len(rows), f", {rows.groups.n_queries} queries"
        with working("scoring"):
            scores = row_scores(loaded, rows)
        if trec_run:
            from rankwise.cli.support._trec_runs import run_lines

            write_lines(run_lines(rows, scores, TAG), out)
        else:
            write_scores([scores], out)
    if out is not None:
        print(f"{out}: {n_scores} scores{queries}")


def _check_ending(out: Path) -> None:
    from rankwise.data.io._streams import COMPRESSIONS

    if out.suffix in COMPRESSIONS:
        raise DataError(f"scores are written as plain text or Parquet, got {out}; leave out {out.suffix}")
