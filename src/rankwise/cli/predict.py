"""`rankwise predict`: scores of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankwise.cli import options
from rankwise.cli.model_data import load_model
from rankwise.cli.output import check_outputs, working
from rankwise.errors import DataError

__all__ = ["predict"]

TAG = "rankwise"  # who made the run


def predict(
    model: options.ModelFile,
    data: options.DataFiles,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", show_default="stdout", help="File to write, as plain text."),
    ] = None,
    trec_run: Annotated[
        bool, typer.Option("--trec-run", help="Write a TREC run (qid Q0 document rank score tag).")
    ] = False,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Score data by a model: one number a line in the order of the rows, as eval and compare read it.

    Example: rankwise predict m.rw test.txt -o scores.txt

    As a TREC run: rankwise predict m.rw test.txt --trec-run -o run.txt
    """
    check_outputs([out], [model, *data])
    if out is not None:
        _check_ending(out)
    loaded = load_model(model)
    rows = loaded.read(data, skip_bad)
    with working("scoring"):
        from rankwise.cli.trec_runs import run_lines

        scores = loaded.scores(rows.X)
        text = "\n".join(run_lines(rows, scores, TAG) if trec_run else map(repr, scores.tolist()))
    if out is None:
        print(text)
        return
    from rankwise.data import atomic_path

    with atomic_path(out) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8")
    print(f"{out}: {len(rows)} scores, {rows.groups.n_queries} queries")


def _check_ending(out: Path) -> None:
    from rankwise.data.streams import COMPRESSIONS

    if out.suffix in COMPRESSIONS:
        raise DataError(f"scores are written as plain text, got {out}; leave out {out.suffix}")
