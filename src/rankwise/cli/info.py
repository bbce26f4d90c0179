"""`rankwise info`: what a model file holds."""

from __future__ import annotations

from typing import Any

from rankwise.cli import options
from rankwise.cli.model_data import LoadedModel, load_model
from rankwise.cli.output import print_json, print_table

__all__ = ["info"]

SHOWN = 10


def info(model: options.ModelFile, json: options.JsonOption = False) -> None:
    """Describe a model: metric, parameters, training, and the features that matter most.

    Example: rankwise info m.rw
    """
    loaded = load_model(model)  # first, because it checks all of the file
    from rankwise.models import info as manifest_of

    said = manifest_of(model)
    importances = _importances(loaded)
    if json:
        print_json(said | {"importances": [{"feature": name, "share": share} for name, share in importances]})
        return
    print_table(("what", "value"), _lines(said))
    if not importances:
        return
    print()
    print_table(("feature", "share of the gain"), [(name, f"{share:.1%}") for name, share in importances[:SHOWN]])
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
