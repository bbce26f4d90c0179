"""`rankwise tune`: parameters chosen by queries that the model was not trained on."""

from __future__ import annotations

import json as json_text
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    from collections.abc import Iterable

RANGE = re.compile(r"([^:]+):([^:]+)(:log)?")


@reads_data
def tune(
    data: options.DataFiles,
    out: Annotated[Path, option("--out", "Model file to write: the best, fitted to all rows.", "FILE.rw", short="-o")],
    space: Annotated[
        list[str],
        option("--space", "Values of a parameter to try, once each: low:high, low:high:log or [a,b,c].", "KEY=VALUES"),
    ],
    model: options.RankerOption = "lambdamart",
    metric: Annotated[
        str | None,
        option("--metric", "What to train on, and to judge by; see rankwise metrics.", "NAME", default="its own"),
    ] = None,
    settings: options.SettingsOption = None,
    trials: Annotated[int, option("--trials", "Settings to try.", min=1)] = 20,
    budget: options.BudgetOption = None,
    folds: options.FoldsOption = 5,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Tune a model: settings are judged by queries held out, the best is fitted to all; Ctrl-C keeps the best so far.

    Example: rankwise tune train.txt --metric ndcg@10 --space num_leaves=4:64:log --space 'init=[null,"l2"]' -o m.rw
    """
    check_outputs([out], data)
    with working("loading"):
        from rankwise.cli.support._settings import make_ranker
        from rankwise.models import save
        from rankwise.selection import tune as search
        from rankwise.selection._space import as_space

        ranker = make_ranker(model, metric, seed, settings or [])
        wanted = _space(space)
        as_space(wanted, ranker.get_params(deep=False))  # what is misspelt need not wait for large files
    check_writable(out)
    rows = read_features(data, reading)
    print_remarks(rows)
    with progress_bar(trials) as callbacks:
        result = search(
            ranker, rows, wanted, trials=trials, budget=budget, folds=folds, random_state=seed, callbacks=callbacks
        )
    save(result.estimator, out)
    if json:
        print_json({"model": str(out), **result.to_dict()})
    else:
        print_table(*result.table())
        print_notes(result.notes)
    if result.interrupted:
        raise typer.Exit(STOPPED)


def _space(texts: Iterable[str]) -> dict[str, Any]:
    """Values by parameter, from texts."""
    space: dict[str, Any] = {}
    for text in texts:
        name, equals, written = text.partition("=")
        values = _values(written)
        if not equals or values is None:
            raise DataError(
                f"--space must be KEY=low:high, KEY=low:high:log or KEY=[a,b,c], got {text!r}; write for example "
                "--space num_leaves=4:64:log"
            )
        if name in space:
            raise DataError(f"--space must give a parameter once, got {name} twice; drop one")
        space[name] = values
    return space


def _values(written: str) -> Any:
    """A list of JSON, or a range; None for anything else."""
    bounds = RANGE.fullmatch(written)
    try:
        if bounds is not None:
            low, high = (json_text.loads(bound) for bound in bounds.groups()[:2])
            return (low, high, "log") if bounds[3] else (low, high)
        values = json_text.loads(written)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, list) else None
