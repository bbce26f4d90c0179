"""Write a model for another system, and check what was written."""

from __future__ import annotations

from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rankwise.data import RankingData
from rankwise.data._atomic import atomic_path
from rankwise.errors import DataError, ExportError
from rankwise.models.export._base import Format
from rankwise.models.export._compare import Comparison, compare_rows
from rankwise.models.export._formats import format_named
from rankwise.models.export._of_models import scorer_of
from rankwise.models.export._probes import probe_rows
from rankwise.models.export._scorer import Linear, Net, Scorer


def export(model: Any, path: str | PathLike[str], *, to: str, check: RankingData | None = None) -> Comparison | None:
    """Write a fitted model to `path` in the format `to`: onnx, xgboost-json, solr, ranklib, vespa or lightgbm.

    What the format cannot express is a DataError that names the feature. With `check`, the file scores these rows, and
    rows of its own that are made to find mistakes, before it takes its place; where it differs from the model by more
    than rounding, no file is written and ExportError is raised.
    """
    chosen, scorer, path = format_named(to), scorer_of(model), Path(path)
    files = chosen.files(scorer, path)
    comparison = None
    if check is not None:
        comparison = _compared_before(model, scorer, chosen, files, path, check)
    with ExitStack() as stack:
        for target, data in files.items():
            stack.enter_context(atomic_path(target)).write_bytes(data)
    return comparison


def check(model: Any, path: str | PathLike[str], *, to: str, data: RankingData | None = None) -> Comparison:
    """Does a file that was exported before still score as the model does? On rows made for it, and on `data`."""
    if not Path(path).is_file():
        raise DataError(f"there is no file {path} to check; export the model first")
    return _compared(model, scorer_of(model), format_named(to), Path(path), data)


def _compared_before(
    model: Any, scorer: Scorer, to: Format, files: dict[Path, bytes], path: Path, data: RankingData
) -> Comparison:
    """The comparison by copies of the files in a folder of their own."""
    with TemporaryDirectory() as folder:
        for target, content in files.items():
            Path(folder, target.name).write_bytes(content)
        found = _compared(model, scorer, to, Path(folder, path.name), data)
    if not found.agrees:
        raise ExportError(f"the {to.name} file does not score as the model does, so it is not written", found)
    return found


def _compared(model: Any, scorer: Scorer, to: Format, path: Path, data: RankingData | None) -> Comparison:
    try:
        predict = to.predict(path, scorer.names)
    except (ImportError, DataError, OSError):
        raise
    except Exception as problem:  # what a reader of ours, of ONNX Runtime or of LightGBM stumbles over in a bad file
        said = " ".join(str(problem).split())[:200]
        raise DataError(
            f"{path.name} is no sound {to.name} file ({type(problem).__name__}: {said}); export it again"
        ) from None
    missing = to.missing and not isinstance(scorer, Linear | Net)
    probes = probe_rows(scorer, missing=missing)
    return Comparison(
        format=to.name,
        offset=to.offset(scorer),
        data=None if data is None else compare_rows(model, scorer, to, predict, data.X, data.qid),
        probes=compare_rows(model, scorer, to, predict, probes, None),
    )
