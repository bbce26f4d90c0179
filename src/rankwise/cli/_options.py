"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

# The same names as in rankwise.metrics, which takes a second to import; a test compares them.
Convention = Literal["standard", "letor4", "trec", "lightgbm", "xgboost", "sklearn"]
Ties = Literal["expected", "worst", "best", "input", "docid"]
Empty = Literal["skip", "0", "1", "error"]

DataFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA",
        show_default=False,
        help="Files of one data set: LETOR / SVM-rank text, Parquet, CSV or TSV (plain or packed), or TREC judgements.",
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", show_default=False, help="Model file, as rankwise train writes it.")
]
OutFile = Annotated[
    Path,
    typer.Argument(
        metavar="OUT",
        show_default=False,
        help="File to write: .parquet, .csv or .tsv, any other ending is LETOR text; "
        ".gz, .bz2, .xz or .zst packs text.",
    ),
]
MetricsOption = Annotated[str, typer.Option("--metrics", help="Metrics with blanks between; see rankwise metrics.")]
ConventionOption = Annotated[
    Convention,
    typer.Option(
        "--convention",
        metavar="NAME",
        help=f"Whose rules for ties, empty queries and small print: {', '.join(get_args(Convention))}.",
    ),
]
TiesOption = Annotated[
    Ties | None,
    typer.Option(
        "--ties",
        metavar="RULE",
        show_default="by convention",
        help=f"How equal scores are ordered: {', '.join(get_args(Ties))}.",
    ),
]
EmptyOption = Annotated[
    Empty | None,
    typer.Option(
        "--empty",
        metavar="VALUE",
        show_default="by convention",
        help=f"What a query counts that lacks what a metric needs: {', '.join(get_args(Empty))}.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
PerQueryOption = Annotated[
    Path | None,
    typer.Option("--per-query", metavar="FILE.csv", help="Write the value of every query to this CSV file."),
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.html", help="Write a report with figures, one HTML file.")
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out malformed lines and say how many, instead of stopping.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same result.")]
