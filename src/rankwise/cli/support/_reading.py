"""Data files: the options that say how to read them, which all commands share that do, reading and writing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, fields
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from rankwise.cli._options import option
from rankwise.cli._output import STDOUT, print_notes, text_path, working
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import RankingData


data_option = partial(option, rich_help_panel="Options of data files")
PARQUET_ENDINGS = (".parquet", ".pq")  # as in rankwise.data, which takes a second to import


@dataclass(frozen=True)
class ReadOptions:
    """How to read data files: a field per option."""

    label: Annotated[
        str | None,
        data_option("--label", "Column of a table with the labels.", "NAME", default="label, relevance or y"),
    ] = None
    positive: Annotated[
        str | None, data_option("--positive", "Label that counts as 1, every other one as 0.", "VALUE")
    ] = None
    qid: Annotated[
        str | None,
        data_option("--qid", "Column of a table with the queries.", "NAME", default="qid, query_id or query"),
    ] = None
    drop: Annotated[list[str] | None, data_option("--drop", "Column of a table to leave out, once each.", "NAME")] = (
        None
    )
    no_header: Annotated[bool, data_option("--no-header", "CSV or TSV without a header: columns are named 1, 2, …")] = (
        False
    )
    skip_bad: Annotated[
        bool, data_option("--skip-bad", "Leave out malformed lines and say how many, instead of stopping.")
    ] = False

    def can_stream(self, files: list[Path]) -> bool:
        """Whether files can be read in passes: Parquet by name, whose columns have the usual names."""
        return all(map(is_parquet, files)) and not (self.label or self.positive or self.qid or self.drop)

    def read(self, files: list[Path]) -> RankingData:
        """The files as one data set."""
        from rankwise.data import read

        # Only what was asked for: the other formats than tables know of none of it.
        options: dict[str, Any] = {field.name: value for field in fields(self) if (value := getattr(self, field.name))}
        if options.pop("no_header", False):
            options["header"] = False
        return read(*files, **options)


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of `ReadOptions`, which it gets as one argument `reading`."""
    hints = get_type_hints(ReadOptions, include_extras=True)
    options = [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in fields(ReadOptions)
    ]

    @wraps(command)
    def run(**arguments: Any) -> None:
        reading = ReadOptions(**{option.name: arguments.pop(option.name) for option in options})
        command(**arguments, reading=reading)

    of_command = signature(command, eval_str=True)
    parameters = [parameter for parameter in of_command.parameters.values() if parameter.name != "reading"]
    run.__signature__ = of_command.replace(parameters=[*parameters, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {}  # typer reads the signature
    return run


def is_parquet(path: Path) -> bool:
    """Whether the name of a file says that it is Parquet."""
    return path.suffix.lower() in PARQUET_ENDINGS


def read_data(files: list[Path], reading: ReadOptions) -> RankingData:
    """The files as one data set; what the user should know of it goes to stderr."""
    with working("reading"):
        data = reading.read(files)
    print_notes(data.notes)
    return data


def read_features(files: list[Path], reading: ReadOptions) -> RankingData:
    """The files as one data set with features."""
    data = read_data(files, reading)
    check_features(data, files)
    return data


def check_features(data: RankingData, files: list[Path]) -> None:
    """DataError where the rows of the files have no features."""
    if data.n_features == 0:
        listed = ", ".join(map(str, files))
        raise DataError(f"a model needs features, got {listed}, which has none; name data with features")


def write_data(parts: dict[Path, RankingData]) -> None:
    """Write each part to its file, in the format of its ending: all of them, or none if one fails."""
    from rankwise.data import write

    with working("writing"), ExitStack() as stack:
        for path, data in parts.items():
            if data.scores is not None:
                raise DataError(
                    f"a TREC run cannot be written as {path}, which has no place for its scores; "
                    "evaluate it by rankwise eval"
                )
            write(data, stack.enter_context(text_path(path)))
    for path, data in parts.items():
        if path != STDOUT:
            print(f"{path}: {len(data)} rows, {data.groups.n_queries} queries, {data.n_features} features")
