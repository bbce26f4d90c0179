"""`rankwise data convert`: from one format to another."""

from __future__ import annotations

from rankwise.cli import _options as options
from rankwise.cli._output import check_outputs
from rankwise.cli.support._reading import ReadOptions, read_data, reads_data, write_data


@reads_data
def convert(data: options.DataFiles, out: options.OutFile, *, reading: ReadOptions) -> None:
    """Write data in the format that the ending of OUT names; several files become one.

    Example: rankwise data convert S1.txt S2.txt train.parquet
    """
    check_outputs([out], data, stdout=True)
    write_data({out: read_data(data, reading)})
