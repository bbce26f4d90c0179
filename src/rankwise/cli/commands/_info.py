"""`rankwise info`: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.cli._output import print_json, print_table
from rankwise.cli.support._model_data import LoadedModel, load_model
from rankwise.cli.support._verify import verified

SHOWN = 10


def info(
    model: options.ModelFile,
    verify: Annotated[
        list[Path] | None,
        typer.Option(
            "--verify",
            metavar="DATA",
            show_default=False,
            help="Training data, once per file: compute the certificate of a margin model again, from scratch.",
        ),
    ] = None,
    json: options.JsonOption = False,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Describe a model: metric, parameters, training, and the features that matter most.

    Example: rankwise info m.rw

    Is its certificate true? rankwise info margin.rw --verify train.txt
    """
    loaded = load_model(model)  # first, because it checks all of the file
    from rankwise.models import info as manifest_of

    said = manifest_of(model)
    importances = _importances(loaded)
    found = None if verify is None else verified(loaded, verify, skip_bad)
    if json:
        shares = [{"feature": name, "share": share} for name, share in importances]
        print_json(said | {"importances": shares} | ({} if found is None else {"verified": found.to_dict()}))
    else:
        print_table(("what", "value"), _lines(said))
        if importances:
            _print_importances(importances, "gain" if "trees" in said["summary"] else "weights")
        if found is not None:
            print()
            print_table(("certificate", "in the file", "from the data"), found.lines())
            print(f"\n{found}")
    if found is not None and not found.agrees:
        raise typer.Exit(NOT_CERTIFIED)


def _print_importances(importances: list[tuple[str, float]], of_what: str) -> None:
    print()
    print_table(("feature", f"share of the {of_what}"), [(name, f"{share:.1%}") for name, share in importances[:SHOWN]])
    if len(importances) > SHOWN:
        print(f"and {len(importances) - SHOWN} more; --json lists all")


def _importances(loaded: LoadedModel) -> list[tuple[str, float]]:
    """The features that trees split by, those of the largest gain first; nets have none."""
    if not hasattr(loaded.ranker, "feature_importances_"):
        return []
    shares = zip(loaded.features, loaded.ranker.feature_importances_.tolist(), strict=True)
    return sorted((one for one in shares if one[1] > 0), key=lambda one: -one[1])


def _lines(said: dict[str, Any]) -> list[tuple[str, str]]:
    summary = said["summary"]
    parameters = {name: value for name, value in said["parameters"].items() if name not in ("metric", "objective")}
    return [
        ("kind", said["kind"]),
        ("objective" if "models" in summary else "metric", said["metric"]),
        ("features", str(said["n_features"])),
        *(_of_classifier(summary) if "models" in summary else _of_ranker(said)),
        ("made by", f"rankwise {said['rankwise']}, {summary['engine']}, format {said['format']}"),
        *((name, "none" if value is None else str(value)) for name, value in parameters.items()),
    ]


def _of_ranker(said: dict[str, Any]) -> list[tuple[str, str]]:
    summary = said["summary"]
    best = summary["best_score"]
    return [
        ("trained on", f"{summary['rows']} rows, {summary['queries']} queries"),
        ("rounds", str(summary["best_iteration"])),
        *((what, str(summary[what])) for what in ("trees", "weights") if what in summary),
        (f"{said['metric']} on validation data", "–" if best is None else f"{best:.4f}"),
        *([("training", "stopped by Ctrl-C")] if summary["interrupted"] else []),
    ]


def _of_classifier(summary: dict[str, Any]) -> list[tuple[str, str]]:
    lines = [("trained on", f"{summary['rows']} rows")]
    names = summary["classes"][-1:] if summary["target"] == "binary" else summary["classes"]
    for name, one in zip(names, summary["models"], strict=True):
        lines += [
            (f"class {name}: threshold", f"{one['threshold']:.6g}"),
            (f"class {name}: model chosen", one["history"]["chosen"]),
        ]
    return lines
