"""`rankwise certify`: a threshold with a guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.cli._output import print_json, print_table, working
from rankwise.cli.support._model_data import load_model
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.metrics import Certificate


def certify(
    model: options.ModelFile,
    data: options.DataFiles,
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar="NAME",
            show_default="the model's own",
            help="The promise, and what to maximize: r@p=0.95, p@r=0.9 or tpr@fpr=0.01.",
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="C", help="Chance that the promise is kept, at least.")
    ] = 0.95,
    json: options.JsonOption = False,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Find a threshold whose precision, recall or false positive rate holds with a confidence, on held-out data.

    Example: rankwise certify m.rw held-out.txt --objective r@p=0.95 --confidence 0.95

    Exit code 3: no threshold can be certified with so few rows, or with such scores.
    """
    from rankwise.metrics import certify as find_threshold
    from rankwise.metrics.certification._operating_point import demand_of

    if objective is not None:
        demand_of(objective)  # a misspelt objective need not wait for a large file
    loaded = load_model(model)
    wanted = objective or _own_objective(loaded.ranker)
    rows = loaded.read(data, skip_bad)
    with working("certifying"):
        found = find_threshold(rows.y, loaded.scores(rows), wanted, confidence=confidence)
    if json:
        print_json(found.to_dict())
    else:
        _print(found)
    if not found.certified:
        raise typer.Exit(NOT_CERTIFIED)


def _own_objective(ranker: Any) -> str:
    """What the model was trained for, if that is a promise."""
    from rankwise.errors import MetricError
    from rankwise.metrics.certification._operating_point import demand_of

    own = getattr(ranker, "objective", None)
    try:
        demand_of(own or "")
    except MetricError:
        raise DataError(
            "this model was not trained to keep a rate, so that there is no promise to certify; "
            "name one, such as --objective r@p=0.95"
        ) from None
    return str(own)


def _print(found: Certificate) -> None:
    lines = [
        ("objective", found.objective),
        ("confidence", f"{found.confidence:g}"),
        ("rows", f"{found.rows:,}, {found.positives:,} positive"),
        ("thresholds tried", f"{found.thresholds_tried:,}"),
    ]
    if found.guide_rows:
        lines.insert(3, ("of these to choose thresholds", f"{found.guide_rows:,}"))
    if found.threshold is not None:
        limit = "at most" if found.demand.rate == "fpr" else "at least"
        lines += [
            ("threshold", repr(found.threshold)),
            (f"{found.demand.rate} certified", f"{limit} {found.target:g} (bound {found.bound:.4f})"),
            ("at or above it", f"{found.tp:,} positive, {found.fp:,} not"),
            ("below it", f"{found.fn:,} positive, {found.tn:,} not"),
            ("observed precision", f"{found.precision:.4f}"),
            ("observed recall", f"{found.recall:.4f}"),
            ("observed fpr", "–" if found.fpr is None else f"{found.fpr:.4f}"),
        ]
    print_table(("what", "value"), lines)
    print()
    print(found)
