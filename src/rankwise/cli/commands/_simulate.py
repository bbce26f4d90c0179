"""`rankwise simulate`: what samplers are worth, on data whose labels are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import STOPPED
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, check_writable, print_json, print_notes, print_table, working
from rankwise.cli.support._progress import progress_bar
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.cli.support._remarks import print_remarks
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.sampling import Simulation


@reads_data
def simulate(
    data: options.DataFiles,
    test: Annotated[
        list[Path], option("--test", "Data to evaluate the ranker on, once per file.", "DATA", callback=options.expand)
    ],
    samplers: Annotated[
        str, option("--samplers", "Ways to choose what to label, with commas between.", "NAMES")
    ] = "lookahead,random",
    ranker: Annotated[
        options.RankerKind, option("--ranker", "Kind of ranker that is fitted in each round.")
    ] = "ranksvm",
    metric: Annotated[
        str | None, option("--metric", "What the ranker trains on, if it is trained on one.", "NAME", default="its own")
    ] = None,
    settings: options.SettingsOption = None,
    rounds: Annotated[int, option("--rounds", "How often labels are asked for.", min=1)] = 20,
    per_query: Annotated[int, option("--per-query", "Labels per query and round.", min=1)] = 5,
    seeds: Annotated[int, option("--seeds", "Runs of each sampler, from different starts.", min=1)] = 5,
    start: Annotated[
        str, option("--start", "Relevant and other documents per query that are labelled first.", "N,N")
    ] = "1,10",
    answer: Annotated[
        Literal["grades", "order"], option("--answer", "What labelling gives: grades, or the order of a few documents.")
    ] = "grades",
    metrics: options.MetricsOption = "auc map ndcg@10",
    picture: Annotated[Path | None, option("--picture", "Draw the curves, as PNG or SVG.", "FILE.png")] = None,
    checkpoint: Annotated[Path | None, option("--checkpoint", "File to keep finished runs in.", "FILE.json")] = None,
    resume: Annotated[bool, option("--resume", "Go on from the checkpoint.")] = False,
    jobs: Annotated[
        int | None, option("--jobs", "Runs at a time, each in a process.", default="one per core", min=1)
    ] = None,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
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
        start_counts = _start(start)
        unfitted = _seeded_by_run(make_ranker(ranker, metric, 0, settings or []))
        from rankwise.reports._learning_curves import write_learning_curves
        from rankwise.reports._pictures import check_picture_name

    if picture is not None:
        check_picture_name(picture)
        check_writable(picture)
    rows = read_features(data, reading)
    test_rows = read_features(test, reading).with_features(rows.feature_names, rows.n_features, rows.categories)
    print_remarks(rows, test_rows, "judge by")
    with progress_bar(len(names) * seeds) as callbacks:
        simulation = run(
            rows, test_rows, names, unfitted, rounds, per_query, seeds,
            start=start_counts, metrics=metrics, answer=answer, n_jobs=jobs, checkpoint=checkpoint,
            callbacks=callbacks,
        )  # fmt: skip
    if picture is not None:
        write_learning_curves(picture, simulation)
    if json:
        print_json(simulation.to_dict())
    else:
        _print(simulation)
    if simulation.interrupted:
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


def _print(simulation: Simulation) -> None:
    from rankwise.sampling.simulation._output import LEGEND, curve_table, relations, test_table

    print_table(*curve_table(simulation))
    if simulation.tests:
        print(f"\n{relations(simulation)}\n")
        print_table(*test_table(simulation))
        print(LEGEND)
    for note in simulation.notes:
        print(f"note: {note}")
