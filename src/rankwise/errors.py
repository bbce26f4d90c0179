"""Every error that rankwise raises on purpose.

    RankwiseError
    ├── DataError            data that cannot be ranked or evaluated
    │   ├── FormatError      a file, at a place in it: file, line, column
    │   └── ShapeError       arrays that do not fit together
    ├── MetricError          a metric that is not known, or not fit for the data
    ├── ModelFileError       a model file or a checkpoint that is damaged, hostile or not ours
    ├── ExportError          a model written for another system that does not score as the model does
    ├── WorkerLostError      a worker of a cluster died, or lost the others, in training
    ├── StoreError           a label store that is damaged, busy, too new or not ours
    └── MissingExtraError    an optional package that is not installed

A message is one sentence or two: what is wrong, what was got, what to do.
`DataError`, `MetricError` and `ModelFileError` are `ValueError`s and `MissingExtraError` is an
`ImportError`, so that code written for scikit-learn catches them.
"""

from __future__ import annotations

from importlib.util import find_spec

__all__ = [
    "DataError",
    "ExportError",
    "FormatError",
    "MetricError",
    "MissingExtraError",
    "ModelFileError",
    "RankwiseError",
    "ShapeError",
    "StoreError",
    "WorkerLostError",
    "need_extra",
]


class RankwiseError(Exception):
    """Root of the tree: `except RankwiseError` catches all of it."""


class DataError(RankwiseError, ValueError):
    """Data that cannot be ranked or evaluated."""


class FormatError(DataError):
    """A file has something that its format does not allow.

    Parameters
    ----------
    message : str
        What is wrong, what was got, what to do.
    path : str or path, optional
        The file.
    line, column : int, optional
        The place in it, both counted from 1.
    """

    def __init__(
        self, message: str, *, path: object = None, line: int | None = None, column: int | None = None
    ) -> None:
        place = ":".join(str(part) for part in (path, line, column) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)
        self.path, self.line, self.column = path, line, column


class ShapeError(DataError):
    """Arrays that do not fit together."""


class MetricError(RankwiseError, ValueError):
    """A metric that is not known, or not fit for the data."""


class ModelFileError(RankwiseError, ValueError):
    """A model file or a checkpoint that is damaged, hostile or not ours."""


class ExportError(RankwiseError):
    """A model written for another system does not score as the model does.

    Parameters
    ----------
    message : str
        What is wrong, what was got, what to do.
    comparison : Comparison
        Where the scores differ.
    """

    def __init__(self, message: str, comparison: object) -> None:
        super().__init__(message)
        self.comparison = comparison


class WorkerLostError(RankwiseError):
    """A worker of a cluster died, or lost the others, in training; the message names the checkpoint to go on from."""


class StoreError(RankwiseError):
    """A label store that is damaged, busy, too new or not ours."""


class MissingExtraError(RankwiseError, ImportError):
    """An optional package is not installed; the message names the command that installs it.

    Parameters
    ----------
    package : str
        What is missing.
    extra : str
        The extra of rankwise that installs it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'rankwise[{extra}]'")


def need_extra(*packages: str, extra: str) -> None:
    """Check that optional packages are installed.

    Parameters
    ----------
    *packages : str
        Their names, as imported.
    extra : str
        The extra of rankwise that installs them.

    Raises
    ------
    MissingExtraError
        For the first that is not installed.
    """
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(package, extra)
