"""`rankwise data normalize`: features on one scale."""

from __future__ import annotations

from typing import Annotated, Literal

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import check_outputs, working
from rankwise.cli.support._reading import ReadOptions, read_data, reads_data, write_data


@reads_data
def normalize(
    data: options.DataFiles,
    out: options.OutFile,
    how: Annotated[
        Literal["query", "global"],
        option("--how", "query: to [0, 1] in each query; global: to mean 0 and deviation 1."),
    ] = "query",
    *,
    reading: ReadOptions,
) -> None:
    """Scale features, within each query as the LETOR data sets do, or over all rows.

    Example: rankwise data normalize train.txt scaled.txt --how query
    """
    check_outputs([out], data, stdout=True)
    rows = read_data(data, reading)
    with working("scaling"):
        from rankwise.data import normalize as scale

        scaled = scale(rows, how)
    write_data({out: scaled})
