"""Reading and writing as the data commands do it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.cli._output import print_notes, working
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import RankingData


def read_data(files: list[Path], skip_bad: bool) -> RankingData:
    """The files as one data set; what the user should know of it goes to stderr."""
    with working("reading"):
        from rankwise.data import read

        data = read(*files, skip_bad=skip_bad)
    print_notes(data.notes)
    return data


def write_data(parts: dict[Path, RankingData]) -> None:
    """Write each part to its file, in the format of its ending: all of them, or none if one fails."""
    from rankwise.data import atomic_path, write

    with working("writing"), ExitStack() as stack:
        for path, data in parts.items():
            if data.scores is not None:
                raise DataError(
                    f"a TREC run cannot be written as {path}, which has no place for its scores; "
                    "judge it by rankwise eval"
                )
            write(data, stack.enter_context(atomic_path(path)))
    for path, data in parts.items():
        print(f"{path}: {len(data)} rows, {data.groups.n_queries} queries, {data.n_features} features")
