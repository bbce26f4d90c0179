"""What commands print and write: results to stdout, notes and spinners to stderr, files whole or not at all."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.cli._options import Format
    from rankwise.metrics import Comparison, Evaluation

# A text, and whether it is to stand out.
Cell = str | tuple[str, bool]
STDOUT = Path("-")


def print_table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Columns of text; cells are wrapped on a terminal where they must be, never in a file or a pipe."""
    cells = [[cell if isinstance(cell, tuple) else (cell, False) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        from rankwise.metrics._evaluation import format_table

        print(format_table([tuple(header), *(tuple(text for text, _ in row) for row in cells)]))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in header:
        table.add_column(Text(name), overflow="fold")
    for row in cells:
        # Text, not str: in a str rich would take the brackets of ndcg[linear] for markup.
        table.add_row(*(Text(text, style="bold" if stands_out else "") for text, stands_out in row))
    Console().print(table)


def print_json(value: object) -> None:
    """A result for other programs."""
    print(json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False))


def check_format(json: bool, format: Format) -> None:
    """Refuse two forms of one result."""
    if json and format != "table":
        raise DataError(f"--json and --format exclude each other, got both --json and --format {format}; drop one")


def print_result(result: Evaluation | Comparison, json: bool, format: Format) -> bool:
    """Print a result in a form that it has by itself; False if it is the tables of the command that are asked for."""
    if json:
        print_json(result.to_dict())
    elif format == "markdown":
        print(result.to_markdown())
    elif format == "latex":
        print(result.to_latex())
    return json or format != "table"


def print_notes(notes: Iterable[str]) -> None:
    """What the user should know beside the result."""
    for note in notes:
        print(f"rankwise: note: {note}", file=sys.stderr)


@contextmanager
def working(message: str) -> Iterator[None]:
    """A spinner on stderr while the block runs, if a person is looking."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(message)):
        yield


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path] = (), *, stdout: bool = False) -> None:
    """Before the work begins: nothing may be written over what is read, nor twice, nor in a device's place.

    Only where the command says so by `stdout`, `-` is standard output.
    """
    # LightGBM's sizes of queries are read along with the file that they stand beside.
    used = [path for file in inputs for path in (file, Path(f"{file}.query"))]
    for output in filter(None, outputs):
        if output == STDOUT:
            if stdout:
                continue
            raise DataError("- is standard output, which has no place for this file; name a file")
        if output.exists() and not (output.is_file() or output.is_dir()):
            # A file takes its place when it is whole; root would so replace /dev/null for the whole machine.
            raise DataError(f"{output} is a device or a pipe, which a file would replace; name a file to write")
        for other in used:
            if _is_same_file(output, other):
                raise DataError(f"{output} cannot be written, this command also uses {other}; name another file")
        used.append(output)


@contextmanager
def text_path(out: Path) -> Iterator[Path]:
    """A temporary path for text, which takes the place of `out` at the end; for `-` it is printed instead."""
    from rankwise.data import atomic_path

    if out != STDOUT:
        with atomic_path(out) as temporary:
            yield temporary
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "text")
        yield path
        sys.stdout.flush()
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def check_writable(path: Path) -> None:
    """Before the work begins: can a file be written there? An older one stays as it is."""
    from rankwise.data import atomic_path

    with suppress(_NothingWrittenError), atomic_path(path) as temporary:
        temporary.touch()
        raise _NothingWrittenError


class _NothingWrittenError(Exception):
    """Ends writing before there is anything to write."""


def _is_same_file(path: Path, other: Path) -> bool:
    if path.exists() and other.exists():
        return path.samefile(other)
    from rankwise.data._atomic import resolved_path

    return resolved_path(path) == resolved_path(other)


def write_per_query(path: Path, evaluations: Mapping[str, Evaluation], *, with_system: bool) -> None:
    """A CSV file with one row per query (and system) and one column per metric; empty where there is no value."""
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
