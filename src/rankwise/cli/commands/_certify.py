"""`rankwise certify`: a threshold with a guarantee."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, check_writable, print_json, print_table, working
from rankwise.cli.support._models import is_classifier, load_model, row_scores
from rankwise.cli.support._progress import logged_as_notes
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import RankingData
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
    out: Annotated[
        Path | None,
        option("--out", "Model file to write: the classifier with this threshold as its own.", "FILE.rw", short="-o"),
    ] = None,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Find a threshold whose precision, recall or false positive rate holds with a confidence, on held-out data.

    Example: rankwise certify m.rw held-out.txt --objective r@p=0.95 --confidence 0.95

    And put it to use: rankwise certify m.rw held-out.txt -o certified.rw

    Exit code 3: no threshold can be certified with so few rows, or with such scores.
    """
    from rankwise.metrics import certify as find_threshold
    from rankwise.metrics.certification._operating_point import demand_of

    check_outputs([out], [model, *data])
    if objective is not None:
        demand_of(objective)  # a misspelt objective need not wait for a large file
    loaded = load_model(model)
    promise = objective or _objective_of(loaded)
    if out is not None:
        if not is_classifier(loaded):
            raise DataError(
                f"--out is for classifiers, which have a threshold, got a model of kind {loaded.kind}; drop it"
            )
        check_writable(out)
    rows = read_features(data, reading)
    with working("certifying"), logged_as_notes():
        if is_classifier(loaded):
            certificate = _of_classifier(loaded, rows, promise, confidence, out)
        else:
            certificate = find_threshold(rows.y, row_scores(loaded, rows), promise, confidence=confidence)
    if json:
        print_json(certificate.to_dict())
    else:
        _print(certificate)
    if not certificate.certified:
        raise typer.Exit(NOT_CERTIFIED)


def _of_classifier(model: Any, rows: RankingData, promise: str, confidence: float, out: Path | None) -> Certificate:
    """A threshold of what `rankwise predict` writes; if there is one, the model with it goes to `out`."""
    from rankwise.models import save

    if len(model.models_) > 1:
        raise DataError(
            f"a certificate is for two classes, got a model of {len(model.classes_)} classes; load it in Python instead"
        )
    certificate: Certificate = model.certify(rows, objective=promise, confidence=confidence)
    if certificate.threshold is None:
        return certificate
    before = model.models_[0].yes_from  # which the scores of a model have as their 0
    if out is not None:
        save(model.set_threshold(certificate), out)
    return replace(certificate, threshold=certificate.threshold - before)


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
