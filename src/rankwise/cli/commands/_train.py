"""`rankwise train`: from data to a model file."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import NOT_CERTIFIED, STOPPED
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, check_writable, print_json, print_notes, print_table, working
from rankwise.cli.support._auto import auto_lines, auto_summary, print_leaderboard
from rankwise.cli.support._parquet import DaskOption, cluster_client, parquet_rows
from rankwise.cli.support._progress import progress_bar
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.cli.support._remarks import print_remarks
from rankwise.cli.support._training import (
    checkpoint_file,
    classifier_lines,
    classifier_summary,
    ranker_lines,
    ranker_summary,
)
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import ParquetRows, RankingData
    from rankwise.types import JsonObject

# The same names as rankwise.rankers has, which takes seconds to import; a test compares them.
Model = Literal[
    "auto", "lambdamart", "lambdarank", "ranknet", "margin", "rankboost", "smoothrankboost", "ranksvm", "aucsvm",
    "lightgbm", "logistic", "trees", "linear", "net",
]  # fmt: skip


@reads_data
def train(
    data: options.DataFiles,
    out: Annotated[Path, option("--out", "Model file to write.", "FILE.rw", short="-o")],
    valid: Annotated[
        list[Path] | None,
        option(
            "--valid",
            "Validation data, once per file: training stops when its metric no longer rises.",
            "DATA",
            callback=options.expand,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        option("--metric", "What to rank by and stop on; see rankwise metrics.", "NAME", default="ndcg@10, or auc"),
    ] = None,
    objective: Annotated[
        str | None,
        option(
            "--objective",
            "Train a classifier for an operating point instead: r@p=0.95, p@r=0.9, tpr@fpr=0.01, f1, aucpr, ….",
            "NAME",
        ),
    ] = None,
    model: Annotated[
        Model | None,
        option(
            "--model",
            "Kind of model: the last three are for --objective, the others for --metric.",
            default="lambdamart, or trees",
        ),
    ] = None,
    settings: options.SettingsOption = None,
    budget: options.BudgetOption = None,
    checkpoint: Annotated[
        Path | None, option("--checkpoint", "Folder to keep what is needed to go on after a kill.", "DIR")
    ] = None,
    resume: Annotated[bool, option("--resume", "Go on from the checkpoint.")] = False,
    dask: DaskOption = None,
    position: Annotated[
        str | None,
        option(
            "--position",
            "Labels are clicks, and this column (by name, or number from 1) says where a document was shown.",
            "COLUMN",
        ),
    ] = None,
    strict: Annotated[
        bool,
        option("--strict", "Exit with code 3 where no threshold reaches the --objective, and so no row gets a yes."),
    ] = False,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Train a model on the metric that it will be evaluated by; Ctrl-C keeps the best of it so far.

    Example: rankwise train train.txt --valid valid.txt --metric auc -o m.rw --set num_leaves=63

    The best of many kinds of models, in a minute: rankwise train train.txt --model auto --budget 60 -o m.rw

    After a kill: rankwise train train.txt -o m.rw --checkpoint run --resume

    A sparse model with a certificate: rankwise train train.txt --model margin --set epsilon=0.5 -o m.rw

    For an operating point: rankwise train train.txt --objective r@p=0.95 --model trees -o m.rw

    On a cluster: rankwise train 'parts/*.parquet' --dask local:2 -o m.rw

    On clicks: rankwise train clicks.parquet --position position -o m.rw
    """
    began = time.monotonic()
    valid = valid or []
    check_outputs([out, checkpoint], [*data, *valid])
    if strict and objective is None:
        raise DataError("--strict is for operating points, got no --objective; drop it, or add one such as r@p=0.95")
    if objective is not None:
        if any(given is not None for given in (metric, budget, checkpoint, dask, position)) or resume:
            raise DataError(
                "--objective goes without --metric, --budget, --checkpoint, --resume, --dask and --position, "
                "got one of these; drop it"
            )
        with working("loading"):
            from rankwise.cli.support._settings import make_classifier

            classifier = make_classifier(model or "trees", objective, seed, settings or [])
            if reading.positive is not None:
                classifier.set_params(pos_label=1)  # said, and read as 1
        check_writable(out)
        summary = _train_classifier(classifier, data, valid, out, reading)
        _print(summary | {"seconds": round(time.monotonic() - began, 3)}, json, classifier_lines)
        if classifier.interrupted_:
            print_notes([f"stopped by Ctrl-C: {out} holds the best so far"])
            raise typer.Exit(STOPPED)
        if strict and not classifier.reached_:
            raise typer.Exit(NOT_CERTIFIED)
        return
    with working("loading"):
        from rankwise.cli.support._settings import check_valid, make_ranker, set_budget

        ranker = make_ranker(model or "lambdamart", metric, seed, settings or [])
        if budget is not None:
            set_budget(ranker, budget)
        check_valid(ranker, str(model), valid)
    takes = signature(ranker.fit).parameters
    keeps_checkpoint = "checkpoint" in takes
    if not keeps_checkpoint and (checkpoint is not None or resume):
        raise DataError(
            f"--model {model} keeps no checkpoint, since it trains in a moment; drop --checkpoint, --resume"
        )
    if dask is not None and "client" not in takes:
        raise DataError(f"--dask trains lambdamart, got --model {model}; drop one of the two")
    if position is not None and ("position" not in takes or dask is not None):
        raise DataError("--position goes with lambdamart on this machine, got another --model or --dask; drop one")
    check_writable(out)
    state = checkpoint_file(checkpoint, resume)
    fit = partial(ranker.fit, checkpoint=state, resume=resume) if keeps_checkpoint else ranker.fit
    if dask is not None or ("client" in takes and position is None and reading.can_stream(data)):
        on_train = _fit_in_passes(ranker, fit, data, valid, reading, dask)
    else:
        on_train = _fit_in_memory(ranker, fit, data, valid, reading, position)
    from rankwise.models import save

    save(ranker, out)
    is_auto = hasattr(ranker, "leaderboard_")
    summary = (auto_summary if is_auto else ranker_summary)(ranker, on_train, out)
    if is_auto and not json:
        print_leaderboard(ranker.leaderboard_)
    _print(summary | {"seconds": round(time.monotonic() - began, 3)}, json, auto_lines if is_auto else ranker_lines)
    if ranker.interrupted_:
        go_on = "" if state is None else "; pass --resume to go on"
        which = "" if is_auto else f", that of round {summary['best_round']}"
        print_notes([f"stopped by Ctrl-C: {out} holds the best so far{which}{go_on}"])
        raise typer.Exit(STOPPED)


def _print(summary: JsonObject, json: bool, lines: Callable[[JsonObject], list[tuple[str, str]]]) -> None:
    if json:
        print_json(summary)
    else:
        print_table(("what", "value"), lines(summary))


def _train_classifier(
    classifier: Any, data: list[Path], valid: list[Path], out: Path, reading: ReadOptions
) -> JsonObject:
    """Train on the rows of all files, labels above 0 being positive; queries play no part."""
    from rankwise.models import save

    rows = read_features(data, reading)
    eval_set = read_features(valid, reading) if valid else None
    print_remarks(rows, eval_set, "stop on")
    rounds = classifier.max_rounds((rows.y > 0).astype(int), has_eval_set=eval_set is not None)
    with progress_bar(rounds) as callbacks:
        classifier.fit(rows, eval_set=eval_set, callbacks=callbacks)
    save(classifier, out)
    return classifier_summary(classifier, len(rows), int((rows.y > 0).sum()), out)


def _fit_in_memory(
    ranker: Any,
    fit: Callable[..., object],
    data: list[Path],
    valid: list[Path],
    reading: ReadOptions,
    position: str | None,
) -> float:
    """Read everything and train; the metric on the training data."""
    rows = _with_positions(read_features(data, reading), position)
    if position is not None and rows.position is None:
        names = rows.feature_names or [str(number) for number in range(1, rows.n_features + 1)]
        raise DataError(f"there is no column {position}, got {', '.join(names)[:200]}; name one of them")
    if len(rows) < 2:
        raise DataError(f"there must be two or more rows to learn from, got {len(rows)}; name more data")
    stops = {"eval_set": _with_positions(read_features(valid, reading), position)} if valid else {}
    print_remarks(rows, stops.get("eval_set"), "stop on")
    with progress_bar(ranker.max_rounds(rows.y, rows.qid)) as callbacks:
        fit(rows, callbacks=callbacks, **stops)
    return float(ranker.score(rows))


def _fit_in_passes(
    ranker: Any,
    fit: Callable[..., object],
    data: list[Path],
    valid: list[Path],
    reading: ReadOptions,
    dask: str | None,
) -> float:
    """Train on Parquet that is never held in memory; the metric on the training data, NaN by a cluster."""
    rows = parquet_rows(data, reading)
    eval_set: ParquetRows | RankingData | None = None
    if valid:
        in_passes = dask is not None or reading.can_stream(valid)
        eval_set = parquet_rows(valid, reading) if in_passes else read_features(valid, reading)
    # The labels are not read yet: these stand for those of one list, or of queries.
    rounds = ranker.max_rounds([0.0, 1.0], [0, 1] if rows.has_qid else None)
    with cluster_client(dask) as client, progress_bar(rounds) as callbacks:
        fit(rows, eval_set=eval_set, callbacks=callbacks, client=client)
    # All rows are read once more for this, which a cluster of workers is not there for.
    return math.nan if dask is not None else float(ranker.score(rows))


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
