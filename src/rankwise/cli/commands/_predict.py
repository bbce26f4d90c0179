"""`rankwise predict`: scores of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankwise.cli import _options as options
from rankwise.cli._output import check_outputs, working
from rankwise.cli.support._model_data import LoadedModel, load_model
from rankwise.cli.support._parquet import DaskOption, cluster_of, expand, parquet_rows
from rankwise.cli.support._score_files import is_parquet, write_scores
from rankwise.errors import DataError

TAG = "rankwise"  # who made the run


def predict(
    model: options.ModelFile,
    data: options.DataFiles,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", show_default="stdout", help="File to write: Parquet, or plain text."
        ),
    ] = None,
    trec_run: Annotated[
        bool, typer.Option("--trec-run", help="Write a TREC run (qid Q0 document rank score tag).")
    ] = False,
    dask: DaskOption = None,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Score data by a model: one number per line in the order of the rows, as eval and compare read it.

    Example: rankwise predict m.rw test.txt -o scores.txt

    As a TREC run: rankwise predict m.rw test.txt --trec-run -o run.txt

    On a cluster: rankwise predict m.rw 'parts/*.parquet' --dask local:2 -o scores.parquet
    """
    data = expand(data)
    check_outputs([out], [model, *data])
    if out is not None:
        _check_ending(out)
    loaded = load_model(model)
    if trec_run:
        if dask is not None or (out is not None and is_parquet(out)):
            raise DataError("--trec-run writes text on this machine, got --dask or a Parquet file; drop one of the two")
        _write_run(loaded, data, out, skip_bad)
        return
    stream, queries = parquet_rows(data, skip_bad, dask), ""
    if stream is None:
        rows = loaded.read(data, skip_bad)
        queries = f", {rows.groups.n_queries} queries"
        with working("scoring"):
            scores = loaded.scores(rows)
        count = write_scores(iter([scores]), out)
    else:
        with cluster_of(dask) as client, working("scoring"):
            count = write_scores(loaded.streamed_scores(stream, client), out)
    if out is not None:
        print(f"{out}: {count} scores{queries}")


def _write_run(loaded: LoadedModel, data: list[Path], out: Path | None, skip_bad: bool) -> None:
    rows = loaded.read(data, skip_bad)
    with working("scoring"):
        from rankwise.cli.support._trec_runs import run_lines

        text = "\n".join(run_lines(rows, loaded.scores(rows), TAG))
    if out is None:
        print(text)
        return
    from rankwise.data import atomic_path

    with atomic_path(out) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8")
    print(f"{out}: {len(rows)} scores, {rows.groups.n_queries} queries")


def _check_ending(out: Path) -> None:
    from rankwise.data.io._streams import COMPRESSIONS

    if out.suffix in COMPRESSIONS:
        raise DataError(f"scores are written as plain text or Parquet, got {out}; leave out {out.suffix}")
