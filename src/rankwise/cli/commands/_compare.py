"""`rankwise compare`: evaluate several rankings of the same data, and test their differences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import (
    Cell,
    check_format,
    check_outputs,
    print_notes,
    print_result,
    print_table,
    working,
    write_per_query,
)
from rankwise.cli.support._reading import ReadOptions, reads_data
from rankwise.cli.support._remarks import print_repeated
from rankwise.cli.support._report_options import (
    TitleOption,
    check_report_options,
    report_sources,
    thresholds_by_name,
)
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.metrics import Comparison


@reads_data
def compare(
    data: options.DataFiles,
    scores: Annotated[
        list[str] | None,
        option(
            "--scores",
            "A system's scores as for eval, once per system; its name is the file's unless given.",
            "[NAME=]FILE",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        option(
            "--model", "A model to score the rows by, once per model; named as a file of --scores.", "[NAME=]FILE.rw"
        ),
    ] = None,
    metrics: options.MetricsOption = "ndcg@10 map mrr auc",
    convention: options.ConventionOption = "standard",
    ties: options.TiesOption = None,
    empty: options.EmptyOption = None,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
    format: options.FormatOption = "table",
    per_query: options.PerQueryOption = None,
    report: options.ReportOption = None,
    title: TitleOption = None,
    threshold: Annotated[
        list[str] | None,
        option(
            "--threshold",
            "For a report on two classes: a score at or above it is a yes; for all systems, or once per system.",
            "[NAME=]SCORE",
        ),
    ] = None,
    *,
    reading: ReadOptions,
) -> None:
    """Compare two or more rankings of the same data, and test whether they differ.

    Example: rankwise compare test.txt --scores old.txt --scores new=model.txt --metrics "ndcg@10 map"

    Two models: rankwise compare test.txt --model a.rw --model new=b.rw

    With TREC files: rankwise compare qrels.txt --scores run1.txt --scores run2.txt --convention trec
    """
    check_format(json, format)
    with working("reading"):
        from rankwise.cli.support._systems import named_paths, read_systems
        from rankwise.metrics import compare as compute
        from rankwise.metrics._names import parse_all

        parse_all(metrics)  # a misspelt metric need not wait for a large file
        score_files, model_files = named_paths(scores or []), named_paths(model or [])
        check_outputs([per_query, report], [*data, *score_files.values(), *model_files.values()])
        check_report_options(report, title=title, threshold=threshold)
        systems = read_systems(data, score_files, model_files, reading)
        if len(systems.scores) < 2:
            got = ", ".join(systems.scores) or "none"
            raise DataError(
                f"there must be two or more systems to compare, got {got}; pass --scores or --model once per system, "
                "or use rankwise eval"
            )
    print_notes(systems.notes)
    print_repeated(systems.data)
    rows = systems.data
    with working("comparing"):
        result = compute(
            rows.y,
            systems.scores,
            rows.qid,
            metrics,
            convention=convention,
            ties=ties,
            empty=empty,
            doc_ids=rows.doc_ids,
            random_state=seed,
        )
        if per_query is not None:
            write_per_query(per_query, result.evaluations, with_system=True)
        if report is not None:
            from rankwise.reports import write_report

            write_report(
                report,
                result,
                rows,
                systems.scores,
                title=title,
                threshold=thresholds_by_name(threshold, systems.scores) or None,
                models=systems.classifiers,
                sources=report_sources(data, score_files, model_files),
            )
    if not print_result(result, json, format):
        _print(result)


def _print(result: Comparison) -> None:
    from rankwise.metrics._evaluation import format_value
    from rankwise.metrics.comparison._row_tests import READING, row_test_table
    from rankwise.metrics.comparison._statistics import format_p_value

    best = {metric: result.best(metric) for metric in result.metrics}
    means: list[list[Cell]] = []
    for name, evaluation in result.evaluations.items():
        row: list[Cell] = [name]
        for metric in result.metrics:
            is_best = name == best[metric] and not math.isnan(evaluation[metric])
            row.append((f"{format_value(evaluation[metric])}{'*' if is_best else ''}", is_best))
        means.append(row)
    print_table(("system", *result.metrics), means)
    print("* best")
    if result.tests:
        print()
        print_table(
            ("metric", "pair", "difference", f"{result.level:.0%} interval", "p t", "p Fisher", "effect", "W/T/L"),
            [
                (
                    test.metric,
                    f"{test.a} − {test.b}",
                    f"{test.difference:+.4f}",
                    f"{test.interval[0]:+.4f} to {test.interval[1]:+.4f}",
                    format_p_value(test.t_p_holm),
                    format_p_value(test.fisher_p_holm),
                    f"{test.effect_size:+.2f}",
                    f"{test.wins}/{test.ties}/{test.losses}",
                )
                for test in result.tests
            ],
        )
        print("p: Holm-corrected for the pairs of one metric; effect: mean over deviation of the differences;")
        print("W/T/L: queries on which the first of the pair wins, ties, loses")
    if result.row_tests:
        header, *rows = row_test_table(result.row_tests, result.level)
        print()
        print_table(header, rows)
        print(READING)
    for note in result.notes:
        print(f"note: {note}")
