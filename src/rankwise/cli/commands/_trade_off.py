"""`rankwise trade-off`: what one metric gains and another loses when a model is trained on sums of both."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import RankerKind, option
from rankwise.cli._output import check_outputs, check_writable, print_json, print_notes, print_table, working
from rankwise.cli.support._progress import progress_bar
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.cli.support._remarks import print_remarks


@reads_data
def trade_off(
    data: options.DataFiles,
    test: Annotated[
        list[Path], option("--test", "Data to evaluate the models on, once per file.", "DATA", callback=options.expand)
    ],
    valid: Annotated[
        list[Path] | None,
        option(
            "--valid",
            "Validation data, once per file: each model stops when what it is trained on no longer rises there.",
            "DATA",
            callback=options.expand,
        ),
    ] = None,
    metrics: Annotated[
        str, option("--metrics", "Two metrics with a blank between; see rankwise metrics.")
    ] = "ndcg@10 auc",
    weights: Annotated[int, option("--weights", "Weights of the first metric, from 1 to 0.", min=2)] = 5,
    model: Annotated[RankerKind, option("--model", "Kind of ranker that is trained.")] = "lambdamart",
    settings: options.SettingsOption = None,
    budget: options.BudgetOption = None,
    report: options.ReportOption = None,
    picture: Annotated[Path | None, option("--picture", "Draw the curve, as PNG or SVG.", "FILE.png")] = None,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Train on weighted sums of two metrics, and show what each weight gains on the one and loses on the other.

    Example: rankwise trade-off train.txt --valid valid.txt --test test.txt --metrics "ndcg@10 auc" --report page.html

    With the best of many kinds of models for each weight, in five minutes:
    rankwise trade-off train.txt --test test.txt --model auto --budget 300
    """
    valid = valid or []
    check_outputs([report, picture], [*data, *valid, *test])
    with working("loading"):
        from rankwise.analysis import trade_off as compute
        from rankwise.analysis._trade_off import two_metrics
        from rankwise.cli.support._settings import check_valid, make_ranker, set_budget

        two_metrics(metrics)  # what is misspelt need not wait for large files
        ranker = make_ranker(model, None, seed, settings or [])
        if budget is not None:
            set_budget(ranker, budget / weights)
        check_valid(ranker, model, valid)
    if picture is not None:
        from rankwise.reports._pictures import check_picture_name

        check_picture_name(picture)
    for output in filter(None, (report, picture)):
        check_writable(output)
    rows = read_features(data, reading)
    eval_set = read_features(valid, reading) if valid else None
    test_rows = read_features(test, reading).with_features(rows.feature_names, rows.n_features, rows.categories)
    print_remarks(rows, test_rows, "judge by")
    with progress_bar(weights) as callbacks:
        result = compute(
            ranker,
            rows,
            test_rows,
            metrics,
            eval_set=eval_set,
            weights=weights,
            random_state=seed,
            callbacks=callbacks,
        )
    if picture is not None:
        from rankwise.reports import write_picture

        write_picture(picture, result)
    if report is not None:
        from rankwise.reports import write_report

        write_report(report, result.comparison, test_rows, result.scores, trade_off=result)
    if json:
        print_json(result.to_dict())
    else:
        print_table(*result.table())
        print_notes(result.notes)
