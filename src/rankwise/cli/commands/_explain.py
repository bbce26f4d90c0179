"""`rankwise explain`: why a model ranks the documents of a query as it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rankwise.cli import _options as options
from rankwise.cli._output import print_json, print_table, working
from rankwise.cli.support._model_data import load_model
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.cli.support._ranked_query import Ranked, Reason

FEATURES = 3  # shown for each pair; --json has all


def explain(
    model: options.ModelFile,
    data: options.DataFiles,
    query: Annotated[str, typer.Option("--query", metavar="QID", show_default=False, help="The query.")],
    top: Annotated[int, typer.Option("--top", min=1, help="How many documents, from the best on.")] = 5,
    json: options.JsonOption = False,
    skip_bad: options.SkipBadOption = False,
) -> None:
    """Show the ranking of a query, and which features put each document above the next one.

    Example: rankwise explain m.rw test.txt --query 12 --top 3
    """
    loaded = load_model(model)
    if not hasattr(loaded.ranker, "explain"):
        raise DataError(f"explain is for models that rank, got one of kind {loaded.ranker.kind}; name another model")
    rows = loaded.read(data, skip_bad)
    with working("explaining"):
        from rankwise.cli.support._ranked_query import rank_query, reasons

        ranked = rank_query(loaded, rows, query)[:top]
        why = reasons(loaded, rows, ranked)
    if json:
        print_json(
            {
                "query": query,
                "ranking": [vars(one) for one in ranked],
                "reasons": [{**vars(one), "parts": [vars(part) for part in one.parts]} for one in why],
            }
        )
    else:
        _print(ranked, why)


def _print(ranked: list[Ranked], why: list[Reason]) -> None:
    print_table(
        ("rank", "document", "label", "score"),
        [(str(one.rank), one.document, f"{one.label:g}", f"{one.score:.4f}") for one in ranked],
    )
    if not why:
        return
    print()
    lines: list[tuple[str, str, str, str]] = []
    for reason in why:
        shown = reason.parts[:FEATURES]
        others = f"{reason.difference - sum(part.adds for part in shown):+.4f}"
        place = "over" if reason.difference > 0 else "level with"
        lines += [
            (f"{reason.above} {place} {reason.below}", "all", "", f"{reason.difference:+.4f}"),
            *(("", str(one.feature), f"{_text(one.above)} : {_text(one.below)}", f"{one.adds:+.4f}") for one in shown),
            *([("", "all others", "", others)] if len(reason.parts) > FEATURES else []),
        ]
    print_table(("rank", "feature", "values", "adds to the score"), lines)


def _text(value: float | str | None) -> str:
    return "missing" if value is None else value if isinstance(value, str) else f"{value:.6g}"
