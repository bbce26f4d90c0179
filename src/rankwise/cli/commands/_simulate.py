"""`rankwise simulate`: what samplers are worth, on data whose labels are known."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import STOPPED
from rankwise.cli._output import check_outputs, place_for, print_json, print_notes, print_table, working
from rankwise.cli.support._model_data import read_features
from rankwise.cli.support._progress import progress_bar
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.sampling import Simulation

# The same names as rankwise.rankers has, which takes seconds to import; a test compares them.
RankerKind = Literal[
    "lambdamart", "lambdarank", "ranknet", "margin", "rankboost", "softrankboost", "ranksvm", "aucsvm"
]  # fmt: skip


def simulate(
    data: options.DataFiles,
    test: Annotated[
        list[Path],
        typer.Option("--test", metavar="DATA", show_default=False, help="Data to judge the ranker by, once per file."),
    ],
    samplers: Annotated[
        str, typer.Option("--samplers", metavar="NAMES", help="Ways to choose what to label, with commas between.")
    ] = "lookahead,random",
    ranker: Annotated[
        RankerKind, typer.Option("--ranker", help="Kind of ranker that is fitted in each round.")
    ] = "ranksvm",
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            show_default="its own",
            help="What the ranker trains on, if it is trained on one.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", show_default=False, help="A parameter of the ranker, once each."),
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="How often labels are asked for.")] = 20,
    per_query: Annotated[int, typer.Option("--per-query", min=1, help="Labels a query and round.")] = 5,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Runs of each sampler, from different starts.")] = 5,
    start: Annotated[
        str,
        typer.Option("--start", metavar="N,N", help="Relevant and other documents per query that are labelled first."),
    ] = "1,10",
    metrics: options.MetricsOption = "auc map ndcg@10",
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE.png", help="Draw the curves, as PNG or SVG.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", metavar="FILE.json", help="File to keep finished runs in.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, show_default="one per core", help="Runs at a time, each in a process."),
    ] = None,
    json: options.JsonOption = False,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Simulate active labelling: how good is a ranker after each round of labels, by who chose them.

    Example: rankwise simulate train.txt --test test.txt --samplers lossmin,random --picture curves.png

    After a kill: rankwise simulate train.txt --test test.txt --checkpoint runs.json --resume
    """
    check_outputs([picture, checkpoint], [*data, *test])
    _check_resume(checkpoint, resume)
    with working("loading"):
        from rankwise.cli.support._settings import make_ranker
        from rankwise.metrics._names import parse_all
        from rankwise.sampling import get_sampler
        from rankwise.sampling import simulate as run

        parse_all(metrics)  # what is misspelt need not wait for large files
        names = [name.strip() for name in samplers.split(",") if name.strip()]
        for name in names:
            get_sampler(name)
        first = _start(start)
        made = _seeded_by_run(make_ranker(ranker, metric, 0, settings or []))
    with ExitStack() as stack:
        place = None
        if picture is not None:
            from rankwise.reports._learning_curves import check_picture_name, write_learning_curves

            check_picture_name(picture)
            place = stack.enter_context(place_for(picture))
        rows = read_features(data, skip_bad)
        judged = read_features(test, skip_bad).with_features(rows.feature_names, rows.n_features)
        with progress_bar(len(names) * seeds) as callbacks:
            found = run(
                rows, judged, names, made, rounds, per_query, seeds,
                start=first, metrics=metrics, n_jobs=jobs, checkpoint=checkpoint, callbacks=callbacks,
            )  # fmt: skip
        if place is not None:
            write_learning_curves(place, found)
    if json:
        print_json(found.to_dict())
    else:
        _print(found)
    if found.interrupted:
        raise typer.Exit(STOPPED)


def _check_resume(checkpoint: Path | None, resume: bool) -> None:
    if checkpoint is None:
        if resume:
            raise DataError("--resume needs the file of the runs to go on with, got none; pass --checkpoint FILE")
    elif resume and not checkpoint.exists():
        print_notes([f"there is no {checkpoint} yet, so the simulation starts from the beginning"])
    elif checkpoint.exists() and not resume:
        raise DataError(
            f"{checkpoint} is there already; pass --resume to go on with the simulation in it, or name another file"
        )


def _start(text: str) -> tuple[int, int]:
    from rankwise.sampling.simulation._experiment import check_start

    try:
        relevant, others = map(int, text.split(","))
        return check_start((relevant, others))
    except ValueError:
        raise DataError(f"--start must be two whole numbers such as 1,10, got {text!r}; write them so") from None


def _seeded_by_run(ranker: Any) -> Any:
    """The ranker without a seed of its own, so that each run gives it another."""
    return ranker.set_params(random_state=None) if "random_state" in ranker.get_params(deep=False) else ranker


def _print(found: Simulation) -> None:
    from rankwise.sampling.simulation._output import LEGEND, curve_table, relations, test_table

    print_table(*curve_table(found))
    if found.tests:
        print(f"\n{relations(found)}\n")
        print_table(*test_table(found))
        print(LEGEND)
    for note in found.notes:
        print(f"note: {note}")
