"""`rankwise export`: a model for another system."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from rankwise.cli import _options as options
from rankwise.cli._errors import NOT_CERTIFIED
from rankwise.cli._options import option
from rankwise.cli._output import STDOUT, check_outputs, print_json, print_table, text_path, working
from rankwise.cli.support._models import load_model
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.errors import DataError, ExportError

if TYPE_CHECKING:
    from rankwise.models.export import ExportComparison, ScoreDifference

# As in rankwise.models.export, which takes a second to import; a test compares them.
Target = Literal["onnx", "xgboost-json", "solr", "ranklib", "vespa", "lightgbm"]
PRINTED = ("xgboost-json", "ranklib", "lightgbm")  # one file of text, whatever its name
LINES = {
    "rows": "rows",
    "queries": "queries",
    "largest difference": "largest",
    "explained by rounding": "rounding",
    "rows beyond rounding": "beyond",
    "pairs in another order": "orders_changed",
    "rows too large to score": "left_out",
}


@reads_data
def export(
    model: options.ModelFile,
    to: Annotated[Target, option("--to", f"One of {', '.join(get_args(Target))}.", "FORMAT")],
    out: Annotated[Path, option("--out", "File to write, whole or not at all; - prints it.", "FILE", short="-o")],
    check: Annotated[
        list[Path] | None,
        option(
            "--check",
            "Data, once per file: score it, and rows made to find mistakes, by what was written, and compare.",
            "DATA",
        ),
    ] = None,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Write a model for ONNX Runtime, Elasticsearch, OpenSearch, Solr, RankLib, Vespa or LightGBM.

    Example: rankwise export m.rw --to onnx -o m.onnx --check test.txt

    What a format cannot express is refused by a sentence that names the feature.
    """
    with working("loading"):
        from rankwise.models.export import ExportComparison
        from rankwise.models.export._exporting import export as write
        from rankwise.models.export._exporting import format_named

    files = format_named(to).places(out)
    if out == STDOUT and (json or to not in PRINTED):
        got = "--json" if json else f"--to {to}"
        raise DataError(
            f"-o - prints one model of text ({', '.join(PRINTED)}) and nothing else, got {got}; name a file"
        )
    check_outputs(files, [model, *(check or [])], stdout=True)
    loaded = load_model(model)
    rows = None if check is None else read_features(check, reading)
    try:
        with working("exporting"), text_path(out) if out == STDOUT else nullcontext(out) as target:
            comparison = write(loaded, target, to=to, check=rows)
    except ExportError as problem:
        if isinstance(problem.comparison, ExportComparison) and out != STDOUT:
            _print(problem.comparison, json, [])
        print(f"rankwise: {problem}", file=sys.stderr)
        raise typer.Exit(NOT_CERTIFIED) from None
    if out != STDOUT:
        _print(comparison, json, files)


def _print(comparison: ExportComparison | None, json: bool, files: list[Path]) -> None:
    if json:
        check = None if comparison is None else comparison.to_dict()
        print_json({"files": [str(file) for file in files], "check": check})
        return
    for file in files:
        print(f"{file}: {file.stat().st_size} bytes")
    if comparison is None:
        return
    data, probes = comparison.data, comparison.probes
    print_table(
        ("what", "data", "probes"), [(name, _text(data, key), _text(probes, key)) for name, key in LINES.items()]
    )
    if comparison.offset:
        print(f"\nthe scores of the file and {comparison.offset!r} together are those of the model")


def _text(difference: ScoreDifference | None, field: str) -> str:
    if difference is None:
        return "–"
    value = getattr(difference, field)
    return f"{value:.3g}" if isinstance(value, float) else str(value)
