"""The command `rankwise`: one file per command, and what they share in options, output and support.

Commands import what they need inside their functions: numba, pyarrow, scipy and matplotlib together take
more than a second, which `rankwise --help` and a mistyped option should not have to wait for.
"""

from rankwise.cli._app import app

__all__ = ["app", "main"]


def main() -> None:
    """The console entry point."""
    app(prog_name="rankwise")
