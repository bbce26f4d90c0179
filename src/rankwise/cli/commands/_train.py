"""`rankwise train`: from data to a model file."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import STOPPED
from rankwise.cli._output import check_outputs, place_for, print_json, print_notes, print_table, working
from rankwise.cli.support._checkpoint_folder import checkpoint_file
from rankwise.cli.support._model_data import read_features
from rankwise.cli.support._parquet import DaskOption, cluster_of, expand, parquet_rows, rounds_ahead
from rankwise.cli.support._progress import progress_bar
from rankwise.cli.support._train_rate import train_rate
from rankwise.cli.support._train_summary import lines_of, summary_of
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import RankingData

# The same names as rankwise.rankers has, which takes seconds to import; a test compares them.
Model = Literal[
    "lambdamart", "lambdarank", "ranknet", "margin", "rankboost", "softrankboost", "ranksvm", "aucsvm",
    "trees", "linear", "net",
]  # fmt: skip


def train(
    data: options.DataFiles,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE.rw", show_default=False, help="Model file to write.")
    ],
    valid: Annotated[
        list[Path] | None,
        typer.Option(
            "--valid",
            metavar="DATA",
            show_default=False,
            help="Validation data, once per file: training stops when its metric no longer rises.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            show_default="ndcg@10, or auc",
            help="What to rank by and stop on; see rankwise metrics.",
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar="NAME",
            help="Train a classifier for an operating point instead: r@p=0.95, p@r=0.9, tpr@fpr=0.01, f1, aucpr, ….",
        ),
    ] = None,
    model: Annotated[
        Model | None,
        typer.Option(
            "--model",
            show_default="lambdamart, or trees",
            help="Kind of model: the last three are for --objective, the others for --metric.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", show_default=False, help="A parameter of the model, once each."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", metavar="DIR", help="Folder to keep what is needed to go on after a kill."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    dask: DaskOption = None,
    position: Annotated[
        str | None,
        typer.Option(
            "--position",
            metavar="COLUMN",
            help="Labels are clicks, and this column (by name, or number from 1) says where a document was shown.",
        ),
    ] = None,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Train a model on the metric that it will be judged by; Ctrl-C keeps the best of it so far.

    Example: rankwise train train.txt --valid valid.txt --metric auc -o m.rw --set num_leaves=63

    After a kill: rankwise train train.txt -o m.rw --checkpoint run --resume

    A sparse model with a certificate: rankwise train train.txt --model margin --set epsilon=0.5 -o m.rw

    For an operating point: rankwise train train.txt --objective r@p=0.95 --model trees -o m.rw

    On a cluster: rankwise train 'parts/*.parquet' --dask local:2 -o m.rw

    On clicks: rankwise train clicks.parquet --position position -o m.rw
    """
    began = time.monotonic()
    data, valid = expand(data), expand(valid)
    check_outputs([out], [*data, *valid])
    if objective is not None:
        if metric is not None or checkpoint is not None or resume or dask is not None or position is not None:
            raise DataError(
                "--objective goes without --metric, --checkpoint, --resume, --dask and --position, got one of these; "
                "drop it"
            )
        train_rate(data, valid, out, objective, model or "trees", settings or [], seed, json, skip_bad)
        return
    with working("loading"):
        from rankwise.cli.support._settings import make_ranker
        from rankwise.models import save

        ranker = make_ranker(model or "lambdamart", metric, seed, settings or [])
    takes = signature(ranker.fit).parameters
    keeps = "checkpoint" in takes
    if not keeps and (checkpoint is not None or resume):
        raise DataError(
            f"--model {model} keeps no checkpoint, since it trains in a moment; drop --checkpoint, --resume"
        )
    if dask is not None and "client" not in takes:
        raise DataError(f"--dask trains lambdamart, got --model {model}; drop one of the two")
    if position is not None and ("position" not in takes or dask is not None):
        raise DataError("--position goes with lambdamart on this machine, got another --model or --dask; drop one")
    with place_for(out) as place:
        state = checkpoint_file(checkpoint, resume)
        kept = {"checkpoint": state, "resume": resume} if keeps else {}
        rows = parquet_rows(data, skip_bad, dask) if "client" in takes and position is None else None
        if rows is not None:
            streamed = parquet_rows(valid, skip_bad, dask)
            eval_set = (read_features(valid, skip_bad) if valid else None) if streamed is None else streamed
            with cluster_of(dask) as client, progress_bar(rounds_ahead(ranker, rows)) as callbacks:
                ranker.fit(rows, eval_set=eval_set, callbacks=callbacks, client=client, **kept)
            # All rows are read once more for this, which a cluster of workers is not there for.
            on_train = math.nan if dask is not None else ranker.score(rows)
        else:
            on_train = _fit_in_memory(ranker, data, valid, skip_bad, position, kept)
        save(ranker, place)
    summary = summary_of(ranker, on_train, out) | {"seconds": round(time.monotonic() - began, 3)}
    if json:
        print_json(summary)
    else:
        print_table(("what", "value"), lines_of(summary))
    if ranker.interrupted_:
        go_on = "" if state is None else "; pass --resume to go on"
        print_notes([f"stopped by Ctrl-C: {out} holds the best so far, that of round {summary['best_round']}{go_on}"])
        raise typer.Exit(STOPPED)


def _fit_in_memory(
    ranker: Any, data: list[Path], valid: list[Path], skip_bad: bool, position: str | None, kept: dict[str, Any]
) -> float:
    """Read everything and train; the metric on the training data."""
    rows = _with_positions(read_features(data, skip_bad), position)
    if position is not None and rows.position is None:
        names = rows.feature_names or [str(number) for number in range(1, rows.n_features + 1)]
        raise DataError(f"there is no column {position}, got {', '.join(names)[:200]}; name one of them")
    if len(rows) < 2:
        raise DataError(f"there must be two or more rows to learn from, got {len(rows)}; name more data")
    eval_set = _with_positions(read_features(valid, skip_bad), position) if valid else None
    with progress_bar(ranker.max_rounds(rows.y, rows.qid)) as callbacks:
        ranker.fit(rows, eval_set=eval_set, callbacks=callbacks, **kept)
    return float(ranker.score(rows))


def _with_positions(data: RankingData, column: str | None) -> RankingData:
    """The data with this column, by name or by number from 1, as positions; unchanged where it has no such column."""
    import numpy as np

    names = data.feature_names or [str(number) for number in range(1, data.n_features + 1)]
    if column not in names:
        return data
    place = names.index(column)
    others = np.delete(np.arange(data.n_features), place)
    values = data.X[:, [place]]
    return replace(
        data,
        X=data.X[:, others],
        feature_names=None if data.feature_names is None else [names[other] for other in others],
        position=np.asarray(values.toarray() if data.is_sparse else values, dtype=np.float64).ravel(),
    )
