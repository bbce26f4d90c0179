"""`rankwise eval`: evaluate one ranking."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import (
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
from rankwise.cli.support._report_options import TitleOption, check_report_options, report_sources
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.cli.support._systems import Systems
    from rankwise.metrics import Evaluation


@reads_data
def evaluate(
    data: options.DataFiles,
    scores: Annotated[
        Path | None, option("--scores", "One number per line in the order of the rows, or a TREC run.", "FILE")
    ] = None,
    model: Annotated[
        Path | None, option("--model", "Evaluate the scores that this model gives the rows.", "FILE.rw")
    ] = None,
    feature: Annotated[int | None, option("--feature", "Evaluate the N-th feature (from 1) as the score.", "N")] = None,
    metrics: options.MetricsOption = "ndcg@10 map mrr auc",
    convention: options.ConventionOption = "standard",
    ties: options.TiesOption = None,
    empty: options.EmptyOption = None,
    json: options.JsonOption = False,
    format: options.FormatOption = "table",
    per_query: options.PerQueryOption = None,
    report: options.ReportOption = None,
    title: TitleOption = None,
    threshold: Annotated[
        float | None,
        option("--threshold", "For a report on two classes: a score at or above it is a yes.", "SCORE"),
    ] = None,
    *,
    reading: ReadOptions,
) -> None:
    """Evaluate one ranking: the mean of each metric over queries, with an interval.

    Example: rankwise eval test.txt --scores model.txt --metrics "ndcg@10 map auc"

    A model: rankwise eval test.txt --model m.rw

    With TREC files: rankwise eval qrels.txt run.txt --convention trec
    """
    check_format(json, format)
    check_outputs([per_query, report], [*data, *filter(None, [scores, model])])
    check_report_options(report, title=title, threshold=threshold)
    with working("reading"):
        from rankwise.metrics import evaluate as compute
        from rankwise.metrics._names import parse_all

        parse_all(metrics)  # a misspelt metric need not wait for a large file
        systems = _one_system(data, scores, model, feature, reading)
    print_notes(systems.notes)
    print_repeated(systems.data)
    rows = systems.data
    ((name, values),) = systems.scores.items()
    with working("evaluating"):
        result = compute(
            rows.y,
            values,
            rows.qid,
            metrics,
            convention=convention,
            ties=ties,
            empty=empty,
            doc_ids=rows.doc_ids,
        )
        if per_query is not None:
            write_per_query(per_query, {name: result}, with_system=False)
        if report is not None:
            from rankwise.reports import write_report

            write_report(
                report,
                result,
                rows,
                {name: values},
                title=title,
                threshold=threshold,
                models=systems.classifiers,
                sources=report_sources(
                    data, {} if scores is None else {name: scores}, {} if model is None else {name: model}
                ),
            )
    if not print_result(result, json, format):
        _print(result)


def _one_system(
    data: list[Path], scores: Path | None, model: Path | None, feature: int | None, reading: ReadOptions
) -> Systems:
    from rankwise.cli.support._systems import feature_scores, named_paths, read_systems

    given = {"--scores": scores, "--model": model, "--feature": feature}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        got = " and ".join(f"{name} {given[name]}" for name in names)
        raise DataError(f"{' and '.join(names)} exclude each other, got {got}; drop one")
    if feature is not None and feature < 1:
        raise DataError(f"features are counted from 1, got --feature {feature}; name one from 1 on")
    score_files, model_files = (named_paths([] if path is None else [str(path)]) for path in (scores, model))
    systems = read_systems(data, score_files, model_files, reading)
    if feature is not None:
        systems = replace(systems, scores={f"feature {feature}": feature_scores(systems.data, feature)})
    if len(systems.scores) != 1:
        got = ", ".join(systems.scores) or "none"
        raise DataError(
            f"there must be one ranking to evaluate, got {got}; pass --scores FILE, --model FILE, --feature N or "
            "a TREC run (rankwise compare takes several)"
        )
    return systems


def _print(result: Evaluation) -> None:
    print_table(*result.table())
    for note in result.notes:
        print(f"note: {note}")
