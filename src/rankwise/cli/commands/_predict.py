"""`rankwise predict`: scores of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import STDOUT, check_outputs, working
from rankwise.cli.support._models import load_model, positive_probabilities, row_labels, row_scores
from rankwise.cli.support._parquet import DaskOption, cluster_client, parquet_rows, streamed_answers
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
    proba: Annotated[
        bool, option("--proba", "Write the calibrated probability of the positive class instead, by a classifier.")
    ] = False,
    labels: Annotated[bool, option("--labels", "Write the class instead, by the classifier's own threshold.")] = False,
    dask: DaskOption = None,
    *,
    reading: ReadOptions,
) -> None:
    """Score data by a model: one number per line in the order of the rows, as eval and compare read it.

    Example: rankwise predict m.rw test.txt -o scores.txt

    Classes of a classifier: rankwise predict fraud.rw test.csv --labels -o classes.txt

    As a TREC run: rankwise predict m.rw test.txt --trec-run -o run.txt

    On a cluster: rankwise predict m.rw 'parts/*.parquet' --dask local:2 -o scores.parquet
    """
    check_outputs([out], [model, *data], stdout=True)
    if out == STDOUT:
        out = None
    if out is not None:
        _check_ending(out)
    if trec_run + proba + labels > 1 or (dask is not None and (proba or labels)):
        raise DataError("one of --trec-run, --proba, --labels and --dask goes at a time, got several; drop the others")
    loaded = load_model(model)
    if trec_run and (dask is not None or (out is not None and is_parquet(out))):
        raise DataError("--trec-run writes text on this machine, got --dask or a Parquet file; drop one of the two")
    from rankwise.cli.support._scores import write_column, write_lines

    answer = positive_probabilities if proba else row_labels if labels else row_scores
    column = "probability" if proba else "label" if labels else "score"
    if dask is not None or (not trec_run and reading.can_stream(data)):
        with cluster_client(dask) as client, working("scoring"):
            blocks = streamed_answers(loaded, parquet_rows(data, reading), client, answer)
            n_scores = write_column(blocks, out, column)
        queries = ""
    else:
        rows = read_features(data, reading)
        n_scores, queries = len(rows), f", {rows.groups.n_queries} queries"
        with working("scoring"):
            answers = answer(loaded, rows)
        if trec_run:
            from rankwise.cli.support._trec_runs import run_lines

            write_lines(run_lines(rows, answers, TAG), out)
        else:
            write_column([answers], out, column)
    if out is not None:
        what = {"score": "scores", "probability": "probabilities", "label": "labels"}[column]
        print(f"{out}: {n_scores} {what}{queries}")


def _check_ending(out: Path) -> None:
    from rankwise.data.io._streams import COMPRESSIONS

    if out.suffix in COMPRESSIONS:
        raise DataError(f"scores are written as plain text or Parquet, got {out}; leave out {out.suffix}")
