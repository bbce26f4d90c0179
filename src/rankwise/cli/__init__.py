"""The command `rankwise`: one file a command, what they share in options, systems, scores and output.

Commands import what they need inside their functions: numba, pyarrow, scipy and matplotlib together take
more than a second, which `rankwise --help` and a mistyped option should not have to wait for.
"""

from rankwise.cli._app import app

__all__ = ["app", "main"]


def main() -> None:
    """The console entry point."""
    app(prog_name="rankwise")
