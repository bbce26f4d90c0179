"""What commands print and write: results to stdout, notes and spinners to stderr, files whole or not at all."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.metrics import Evaluation

__all__ = ["Cell", "check_outputs", "print_json", "print_notes", "print_table", "working", "write_per_query"]

# A text, and whether it is to stand out.
Cell = str | tuple[str, bool]

# In a file or a pipe nothing is cut, however wide the table.
NO_TERMINAL_WIDTH = 100_000


def print_table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Columns of text; wrapped on a terminal where they must be, never in a file or a pipe."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    is_terminal = sys.stdout.isatty()
    console = Console(width=None if is_terminal else NO_TERMINAL_WIDTH)
    table = Table(box=box.SIMPLE_HEAD if is_terminal else None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in header:
        table.add_column(Text(name), overflow="fold")
    for row in rows:
        cells = [cell if isinstance(cell, tuple) else (cell, False) for cell in row]
        # Text, not str: in a str rich would take the brackets of ndcg[linear] for markup.
        table.add_row(*(Text(text, style="bold" if stands_out else "") for text, stands_out in cells))
    console.print(table)


def print_json(value: Any) -> None:
    """A result for other programs."""
    print(json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False))


def print_notes(notes: Iterable[str]) -> None:
    """What the user should know beside the result."""
    for note in notes:
        print(f"rankwise: note: {note}", file=sys.stderr)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on stderr while the block runs, if a person is looking."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(what)):
        yield


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path]) -> None:
    """Before the work begins: nothing may be written over what is read, nor twice."""
    known = list(inputs)
    for output in filter(None, outputs):
        for other in known:
            if _is_same_file(output, other):
                raise DataError(f"{output} would be written over {other}, got the same file; name another one")
        known.append(output)


def _is_same_file(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def write_per_query(path: Path, evaluations: Mapping[str, Evaluation], *, with_system: bool) -> None:
    """A CSV file with one row a query (and system) and one column a metric; empty where there is no value."""
    from rankwise.data import atomic_path

    metrics = list(next(iter(evaluations.values())).per_query)
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["qid", *(["system"] if with_system else []), *metrics])
        for system, evaluation in evaluations.items():
            columns = [evaluation.per_query[metric].tolist() for metric in metrics]
            for qid, *values in zip(evaluation.qids.tolist(), *columns, strict=True):
                cells = ["" if value != value else repr(value) for value in values]  # NaN is not itself
                writer.writerow([qid, *([system] if with_system else []), *cells])
