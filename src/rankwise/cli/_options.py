"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from rankwise.cli._command import SPELLINGS, complete_metrics


def option(
    name: str,
    help: str,
    metavar: str | None = None,
    *,
    short: str | None = None,
    default: str | None = None,
    **more: Any,
) -> Any:
    """An option as typer has it; `default` says in words what an option does that is not given."""
    names = (name, short) if short else (name,)
    if name in SPELLINGS:
        more["autocompletion"] = complete_metrics
    return typer.Option(*names, help=help, metavar=metavar, show_default=default or True, **more)


# The same names as in rankwise.metrics, which takes a second to import; a test compares them.
Convention = Literal["standard", "letor4", "trec", "lightgbm", "xgboost", "sklearn"]
Ties = Literal["expected", "worst", "best", "input", "docid"]
Empty = Literal["skip", "0", "1", "error"]
Format = Literal["table", "markdown", "latex"]
RankerKind = Literal[
    "auto", "lambdamart", "lambdarank", "ranknet", "margin", "rankboost", "smoothrankboost", "ranksvm", "aucsvm",
    "lightgbm", "logistic",
]  # fmt: skip


def expand(files: list[Path] | None) -> list[Path]:
    """Files that patterns such as 'parts/*.parquet' stand for, where quotes kept the shell from it."""
    from rankwise.data._sources import expand_paths

    return expand_paths(files or [])


DataFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA",
        callback=expand,
        help="Files of one data set: LETOR / SVM-rank text, Parquet, CSV or TSV (plain or packed), or TREC judgements.",
    ),
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file, as rankwise train writes it.")]
OutFile = Annotated[
    Path,
    typer.Argument(
        metavar="OUT",
        help="File to write: .parquet, .csv or .tsv, any other ending is LETOR text; "
        ".gz, .bz2, .xz or .zst packs text; - prints LETOR text.",
    ),
]
MetricsOption = Annotated[str, option("--metrics", "Metrics with blanks between; see rankwise metrics.")]
ConventionOption = Annotated[
    Convention,
    option(
        "--convention",
        f"Whose rules for ties, empty queries and small print: {', '.join(get_args(Convention))}.",
        "NAME",
    ),
]
TiesOption = Annotated[
    Ties | None,
    option("--ties", f"How equal scores are ordered: {', '.join(get_args(Ties))}.", "RULE", default="by convention"),
]
EmptyOption = Annotated[
    Empty | None,
    option(
        "--empty",
        f"What a query counts that lacks what a metric needs: {', '.join(get_args(Empty))}.",
        "VALUE",
        default="by convention",
    ),
]
JsonOption = Annotated[bool, option("--json", "Print JSON instead of tables.")]
FormatOption = Annotated[
    Format,
    option("--format", f"How results are printed: {', '.join(get_args(Format))} (for papers, with booktabs).", "NAME"),
]
PerQueryOption = Annotated[
    Path | None, option("--per-query", "Write the value of every query to this CSV file.", "FILE.csv")
]
ReportOption = Annotated[Path | None, option("--report", "Write a report with figures, one HTML file.", "FILE.html")]
SeedOption = Annotated[int, option("--seed", "The same seed gives the same result.", min=0)]
RankerOption = Annotated[RankerKind, option("--model", "Kind of model.")]
FoldsOption = Annotated[int, option("--folds", "Parts of the queries, each held out once.", min=2)]
BudgetOption = Annotated[
    float | None,
    option("--budget", "Seconds that everything may take; what would not end in time is left out.", "SECONDS"),
]
SettingsOption = Annotated[list[str] | None, option("--set", "A parameter of the model, once each.", "KEY=VALUE")]
HostOption = Annotated[str, option("--host", "Address to serve at; others than this need --token.")]
PortOption = Annotated[int, option("--port", "0 takes a free one.", min=0, max=65535)]
AddressJsonOption = Annotated[bool, option("--json", "Print one line of JSON with the address.")]
