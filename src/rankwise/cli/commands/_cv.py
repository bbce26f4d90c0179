"""`rankwise cv`: how good a model is on queries that it was not trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, print_json, print_table, working, write_per_query
from rankwise.cli.support._progress import progress_bar
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.cli.support._remarks import print_remarks

if TYPE_CHECKING:
    from rankwise.selection import CrossValidation


@reads_data
def cv(
    data: options.DataFiles,
    model: options.RankerOption = "lambdamart",
    metric: Annotated[
        str | None,
        option("--metric", "What to train on and to stop on; see rankwise metrics.", "NAME", default="its own"),
    ] = None,
    metrics: Annotated[
        str | None,
        option("--metrics", "What to evaluate, metrics with blanks between.", "NAMES", default="that of --metric"),
    ] = None,
    settings: options.SettingsOption = None,
    folds: options.FoldsOption = 5,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
    per_query: options.PerQueryOption = None,
    *,
    reading: ReadOptions,
) -> None:
    """Cross-validate a model: every query is evaluated by a model that was not trained on it.

    Example: rankwise cv data.txt --model lambdamart --metric ndcg@10 --metrics "ndcg@10 map auc" --folds 5
    """
    check_outputs([per_query], data)
    with working("loading"):
        from rankwise.cli.support._settings import make_ranker
        from rankwise.metrics._names import parse_all
        from rankwise.selection import cross_validate

        ranker = make_ranker(model, metric, seed, settings or [])
        requested = list(parse_all(metrics or ranker.metric).values())
    rows = read_features(data, reading)
    print_remarks(rows)
    with progress_bar(folds) as callbacks:
        result = cross_validate(ranker, rows, requested, folds=folds, random_state=seed, callbacks=callbacks)
    if per_query is not None:
        write_per_query(per_query, {model: result.evaluation}, with_system=False)
    if json:
        print_json(result.to_dict())
    else:
        _print(result)


def _print(result: CrossValidation) -> None:
    print_table(*result.evaluation.table())
    for note in result.evaluation.notes:
        print(f"note: {note}")
    print()
    print_table(*result.fold_table())
