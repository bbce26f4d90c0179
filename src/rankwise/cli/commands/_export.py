"""`rankwise export`: a model for another system."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.cli._output import check_outputs, print_json, print_table, working
from rankwise.cli.support._model_data import LoadedModel
from rankwise.errors import ExportError

if TYPE_CHECKING:
    from rankwise.models.export import ExportComparison, ScoreDifference

# As in rankwise.models.export, which takes a second to import; a test compares them.
Target = Literal["onnx", "xgboost-json", "solr", "ranklib", "vespa", "lightgbm"]


def export(
    model: options.ModelFile,
    to: Annotated[
        Target,
        typer.Option("--to", metavar="FORMAT", show_default=False, help=f"One of {', '.join(get_args(Target))}."),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", show_default=False, help="File to write, whole or not at all."),
    ],
    check: Annotated[
        list[Path] | None,
        typer.Option(
            "--check",
            metavar="DATA",
            show_default=False,
            help="Data, once per file: score it, and rows made to find mistakes, by what was written, and compare.",
        ),
    ] = None,
    json: options.JsonOption = False,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Write a model for ONNX Runtime, Elasticsearch, OpenSearch, Solr, RankLib, Vespa or LightGBM.

    Example: rankwise export m.rw --to onnx -o m.onnx --check test.txt

    What a format cannot express is refused by a sentence that names the feature.
    """
    with working("loading"):
        from rankwise.models import load
        from rankwise.models.export._exporting import export as write
        from rankwise.models.export._exporting import format_named

    files = format_named(to).places(out)
    check_outputs(files, [model, *(check or [])])
    ranker = load(model)
    names = getattr(ranker, "feature_names_in_", None)
    loaded = LoadedModel(ranker, None if names is None else [str(name) for name in names])
    rows = None if check is None else loaded.read(check, skip_bad)
    try:
        with working("exporting"):
            written = write(ranker, out, to=to, check=rows)
    except ExportError as problem:
        _show(problem.comparison, json, [])
        print(f"rankwise: {problem}", file=sys.stderr)
        raise typer.Exit(NOT_CERTIFIED) from None
    _show(written, json, files)


def _show(found: Any, json: bool, files: list[Path]) -> None:
    if json:
        print_json({"files": [str(file) for file in files], "check": None if found is None else found.to_dict()})
        return
    for file in files:
        print(f"{file}: {file.stat().st_size} bytes")
    if found is None:
        return
    print_table(("what", "data", "probes"), _lines(found))
    if found.offset:
        print(f"\nthe scores of the file and {found.offset!r} together are those of the model")


def _lines(found: ExportComparison) -> list[tuple[str, str, str]]:
    def line(what: str, field: str) -> tuple[str, str, str]:
        return what, _text(found.data, field), _text(found.probes, field)

    return [
        line("rows", "rows"),
        line("queries", "queries"),
        line("largest difference", "largest"),
        line("explained by rounding", "rounding"),
        line("rows beyond rounding", "beyond"),
        line("pairs in another order", "orders_changed"),
        line("rows too large to score", "left_out"),
    ]


def _text(difference: ScoreDifference | None, field: str) -> str:
    if difference is None:
        return "–"
    value = getattr(difference, field)
    return f"{value:.3g}" if isinstance(value, float) else str(value)
