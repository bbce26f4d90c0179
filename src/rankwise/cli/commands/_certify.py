"""`rankwise certify`: a threshold with a guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.cli._options import option
from rankwise.cli._output import print_json, print_table, working
from rankwise.cli.support._models import load_model, row_scores
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.metrics import Certificate


@reads_data
def certify(
    model: options.ModelFile,
    data: options.DataFiles,
    objective: Annotated[
        str | None,
        option(
            "--objective",
            "The promise, and what to maximize: r@p=0.95, p@r=0.9 or tpr@fpr=0.01.",
            "NAME",
            default="the model's own",
        ),
    ] = None,
    confidence: Annotated[float, option("--confidence", "Chance that the promise is kept, at least.", "C")] = 0.95,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
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
    promise = objective or _objective_of(loaded)
    rows = read_features(data, reading)
    with working("certifying"):
        certificate = find_threshold(rows.y, row_scores(loaded, rows), promise, confidence=confidence)
    if json:
        print_json(certificate.to_dict())
    else:
        _print(certificate)
    if not certificate.certified:
        raise typer.Exit(NOT_CERTIFIED)


def _objective_of(model: object) -> str:
    """What the model was trained for, if that is a promise."""
    from rankwise.errors import MetricError
    from rankwise.metrics.certification._operating_point import demand_of

    objective = getattr(model, "objective", None)
    try:
        demand_of(objective or "")
    except MetricError:
        raise DataError(
            "this model was not trained to keep a rate, so that there is no promise to certify; "
            "name one, such as --objective r@p=0.95"
        ) from None
    return str(objective)


def _print(certificate: Certificate) -> None:
    lines = [
        ("objective", certificate.objective),
        ("confidence", f"{certificate.confidence:g}"),
        ("rows", f"{certificate.rows:,}, {certificate.positives:,} positive"),
        ("thresholds tried", f"{certificate.thresholds_tried:,}"),
    ]
    if certificate.guide_rows:
        lines.insert(3, ("of these to choose thresholds", f"{certificate.guide_rows:,}"))
    if certificate.threshold is not None:
        limit = "at most" if certificate.demand.rate == "fpr" else "at least"
        lines += [
            ("threshold", repr(certificate.threshold)),
            (f"{certificate.demand.rate} certified", f"{limit} {certificate.target:g} (bound {certificate.bound:.4f})"),
            ("at or above it", f"{certificate.tp:,} positive, {certificate.fp:,} not"),
            ("below it", f"{certificate.fn:,} positive, {certificate.tn:,} not"),
            ("observed precision", f"{certificate.precision:.4f}"),
            ("observed recall", f"{certificate.recall:.4f}"),
            ("observed fpr", "–" if certificate.fpr is None else f"{certificate.fpr:.4f}"),
        ]
    print_table(("what", "value"), lines)
    print()
    print(certificate)
