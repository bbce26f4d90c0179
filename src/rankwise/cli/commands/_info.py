"""`rankwise info`: what a model file holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, print_json, print_table, working
from rankwise.cli.support._auto import manifest_lines, print_leaderboard
from rankwise.cli.support._models import feature_labels, load_model
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.cli.support._report_options import TitleOption, check_report_options, report_sources
from rankwise.cli.support._training import REACHED
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.rankers.pairs.margin._certificate import MarginCertificate
    from rankwise.types import JsonObject

FEATURES_SHOWN = 10
TOLERANCE = 1e-6  # by which numbers may differ: another machine may round otherwise


@dataclass(frozen=True)
class Verification:
    """Two certificates of one model: what its file says, and what holds of the data."""

    saved: MarginCertificate
    computed: MarginCertificate

    @property
    def agrees(self) -> bool:
        """Whether the file says what holds, or less."""

        def is_close(name: str) -> bool:
            saved, computed = getattr(self.saved, name), getattr(self.computed, name)
            return bool(abs(saved - computed) <= TOLERANCE * max(1.0, abs(computed)))

        is_same = all(map(is_close, ("pairs", "rho", "share", "guaranteed", "value", "bound")))
        return is_same and self.computed.holds

    def lines(self) -> list[tuple[str, str, str]]:
        """Both, line by line."""
        pairs = zip(self.saved.lines(), self.computed.lines(), strict=True)
        return [(name, saved, computed) for (name, saved), (_, computed) in pairs]

    def to_dict(self) -> JsonObject:
        """For programs."""
        return {"agrees": self.agrees, "saved": asdict(self.saved), "computed": asdict(self.computed)}

    def __str__(self) -> str:
        if self.agrees:
            return "verified: the data bear out every number"
        return "NOT verified: the data say otherwise; are these the rows that the model was trained on?"


@reads_data
def info(
    model: options.ModelFile,
    verify: Annotated[
        list[Path] | None,
        option(
            "--verify",
            "Training data, once per file: compute the certificate of a margin model again, from scratch.",
            "DATA",
        ),
    ] = None,
    report: Annotated[
        Path | None, option("--report", "Write a page with pictures of the model, one HTML file.", "FILE.html")
    ] = None,
    data: Annotated[
        list[Path] | None,
        option("--data", "Labelled rows for the page, once per file, best those not learned from.", "DATA"),
    ] = None,
    title: TitleOption = None,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Describe a model: metric, parameters, training, and the features that matter most.

    Example: rankwise info m.rw

    With pictures: rankwise info m.rw --report model.html --data test.txt

    Is its certificate true? rankwise info margin.rw --verify train.txt
    """
    loaded = load_model(model)  # first, because it checks all of the file
    from rankwise.models import info as read_manifest

    if data is not None and report is None:
        raise DataError(f"--data is for the page that --report writes, got {data[0]} alone; add --report FILE.html")
    check_report_options(report, title=title)
    check_outputs([report], [model, *(data or []), *(verify or [])])
    manifest = read_manifest(model)
    importances = _importances(loaded)
    verification = None if verify is None else _verify(loaded, verify, reading)
    if report is not None:
        _write_report(report, title, loaded, model, data, reading)
    if json:
        shares = [{"feature": name, "share": share} for name, share in importances]
        verified = {} if verification is None else {"verified": verification.to_dict()}
        print_json(manifest | {"importances": shares} | verified)
    else:
        if hasattr(loaded, "leaderboard_"):
            print_leaderboard(loaded.leaderboard_)
        print_table(("what", "value"), _lines(manifest))
        if importances:
            _print_importances(importances, "gain" if "trees" in manifest["summary"] else "weights")
        if verification is not None:
            print()
            print_table(("certificate", "in the file", "from the data"), verification.lines())
            print(f"\n{verification}")
    if verification is not None and not verification.agrees:
        raise typer.Exit(NOT_CERTIFIED)


def _write_report(
    report: Path, title: str | None, loaded: Any, model: Path, data: list[Path] | None, reading: ReadOptions
) -> None:
    rows = None if data is None else read_features(data, reading)
    with working("drawing"):
        from rankwise.reports import write_model_report

        sources = {"model": str(model)} | ({} if data is None else report_sources(data, {}))
        write_model_report(report, loaded, rows, title=title or f"Model {model.name}", sources=sources)


def _verify(model: Any, files: list[Path], reading: ReadOptions) -> Verification:
    """The certificate of a margin model, computed again from its training data."""
    if not hasattr(model, "verify"):
        raise DataError(f"--verify is for models of kind margin, which have a certificate, got {model.kind}; drop it")
    rows = read_features(files, reading)
    with working("verifying"):
        return Verification(model.certificate_, model.verify(rows))


def _print_importances(importances: list[tuple[str, float]], of_what: str) -> None:
    print()
    print_table(
        ("feature", f"share of the {of_what}"), [(name, f"{share:.1%}") for name, share in importances[:FEATURES_SHOWN]]
    )
    if len(importances) > FEATURES_SHOWN:
        print(f"and {len(importances) - FEATURES_SHOWN} more; --json lists all")


def _importances(model: Any) -> list[tuple[str, float]]:
    """The features that trees split by, those of the largest gain first; nets have none."""
    if not hasattr(model, "feature_importances_"):
        return []
    shares = zip(feature_labels(model), model.feature_importances_.tolist(), strict=True)
    return sorted(((name, share) for name, share in shares if share > 0), key=lambda pair: -pair[1])


def _lines(manifest: JsonObject) -> list[tuple[str, str]]:
    summary = manifest["summary"]
    parameters = {name: value for name, value in manifest["parameters"].items() if name not in ("metric", "objective")}
    return [
        ("kind", manifest["kind"]),
        ("objective" if "models" in summary else "metric", manifest["metric"]),
        ("features", str(manifest["n_features"])),
        *_training_lines(manifest),
        ("made by", f"rankwise {manifest['rankwise']}, {summary['engine']}, format {manifest['format']}"),
        *((name, "none" if value is None else str(value)) for name, value in parameters.items()),
    ]


def _training_lines(manifest: JsonObject) -> list[tuple[str, str]]:
    summary = manifest["summary"]
    if "leaderboard" in summary:
        return manifest_lines(manifest)
    return _classifier_lines(manifest) if "models" in summary else _ranker_lines(manifest)


def _ranker_lines(manifest: JsonObject) -> list[tuple[str, str]]:
    summary = manifest["summary"]
    best = summary["best_score"]
    return [
        ("trained on", f"{summary['rows']} rows, {summary['queries']} queries"),
        ("rounds", str(summary["best_iteration"])),
        *((what, str(summary[what])) for what in ("trees", "weights") if what in summary),
        (f"{manifest['metric']} on validation data", "–" if best is None else f"{best:.4f}"),
        *([("training", "stopped by Ctrl-C")] if summary["interrupted"] else []),
    ]


def _threshold(model: JsonObject) -> str:
    """The threshold in use, in the model's own scores, and where it is from if it was set."""
    place = model["set_to"]
    if place is None:
        return f"{model['threshold']:.6g}"
    of_what = "set by hand"
    if place["objective"] is not None:
        of_what = f"certified for {place['objective']} with confidence {place['confidence']:g}"
    return f"{model['threshold'] + place['at']:.6g}, {of_what}"


def _classifier_lines(manifest: JsonObject) -> list[tuple[str, str]]:
    summary = manifest["summary"]
    lines = [("trained on", f"{summary['rows']} rows")]
    names = [summary["positive"]] if summary["target"] == "binary" else summary["classes"]
    for name, model in zip(names, summary["models"], strict=True):
        history = model["history"]
        lines += [
            (f"class {name}: threshold", _threshold(model)),
            *([(f"class {name}: reached", REACHED[model["reached"]])] if model["set_to"] is None else []),
            (f"class {name}: trained for", manifest["metric"] if history["chosen"] == "tuned" else "cross entropy"),
            (f"class {name}: reason", history["reason"]),
        ]
    return [*lines, *([("training", "stopped by Ctrl-C")] if summary["interrupted"] else [])]
