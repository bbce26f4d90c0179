"""Write a model for another system, and check what was written."""

from __future__ import annotations

from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn.utils.validation import check_is_fitted

from rankwise.data import RankingData
from rankwise.data._atomic import atomic_path
from rankwise.errors import DataError, ExportError
from rankwise.models.export._base import Format
from rankwise.models.export._compare import ExportComparison, compare_rows
from rankwise.models.export._lightgbm import LightGBM
from rankwise.models.export._onnx import Onnx
from rankwise.models.export._probes import probe_rows
from rankwise.models.export._ranklib import RankLib
from rankwise.models.export._solr import Solr
from rankwise.models.export._vespa import Vespa
from rankwise.models.export._xgboost_json import XGBoostJson
from rankwise.rankers._base import SavableModel
from rankwise.rankers._features import categories_of, feature_names_of
from rankwise.rankers._score_functions._functions import BlendFunction, ScoreFunction, TreeSum

FORMATS: dict[str, Format] = {
    format.name: format for format in (Onnx(), XGBoostJson(), Solr(), RankLib(), Vespa(), LightGBM())
}


def export(
    model: SavableModel, path: str | PathLike[str], *, to: str, check: RankingData | None = None
) -> ExportComparison | None:
    """Write a fitted model for another system.

    What the format cannot express is refused by an error that names the feature. With `check`, the file scores these
    rows, and rows of its own that are made to find mistakes, before it takes its place; where it differs from the model
    by more than rounding, no file is written.

    Parameters
    ----------
    model : SavableModel
        A fitted model of rankwise.
    path : path-like
        File to write, whole or not at all; solr has a second one beside it.
    to : {"onnx", "xgboost-json", "solr", "ranklib", "vespa", "lightgbm"}
        The format.
    check : RankingData, default=None
        Rows to score by the model and by the file.

    Returns
    -------
    ExportComparison or None
        How the file scores beside the model; None without `check`.

    Raises
    ------
    DataError
        If the format cannot express the model.
    ExportError
        If the file does not score as the model does.

    Examples
    --------
    >>> import tempfile
    >>> import rankwise as rw
    >>> from rankwise.models.export import export
    >>> data = rw.data.web(queries=5, documents=10, features=3, seed=0)
    >>> model = rw.RankSVM().fit(data)
    >>> path = Path(tempfile.mkdtemp(), "model.txt")
    >>> export(model, path, to="ranklib", check=data).agrees
    True
    """
    format, function, path = format_named(to), score_function(model), Path(path)
    files = format.files(function, path)
    comparison = None
    if check is not None:
        with TemporaryDirectory() as folder:
            for target, content in files.items():
                Path(folder, target.name).write_bytes(content)
            comparison = _compare(model, function, format, Path(folder, path.name), check)
        if not comparison.agrees:
            raise ExportError(f"the {to} file does not score as the model does, so it is not written", comparison)
    with ExitStack() as stack:
        for target, content in files.items():
            stack.enter_context(atomic_path(target)).write_bytes(content)
    return comparison


def check(
    model: SavableModel, path: str | PathLike[str], *, to: str, data: RankingData | None = None
) -> ExportComparison:
    """Compare a file that was exported before with the model, on rows made to find mistakes and on `data`.

    Parameters
    ----------
    model : SavableModel
        The fitted model that was exported.
    path : path-like
        The file.
    to : {"onnx", "xgboost-json", "solr", "ranklib", "vespa", "lightgbm"}
        Its format.
    data : RankingData, default=None
        Rows to score by both.

    Returns
    -------
    ExportComparison
        How the file scores beside the model.

    Raises
    ------
    DataError
        If there is no file, or it is not one of this format.
    """
    if not Path(path).is_file():
        raise DataError(f"there is no file {path} to check; export the model first")
    return _compare(model, score_function(model), format_named(to), Path(path), data)


def format_named(name: str) -> Format:
    """The format of this name."""
    if name not in FORMATS:
        raise DataError(f"there is no format {name!r} to export to; choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def score_function(model: SavableModel) -> ScoreFunction:
    """What a fitted model computes; DataError for models that no other system can compute."""
    if not isinstance(model, SavableModel):
        raise DataError(f"export takes a model of rankwise, got {type(model).__name__}; export it by its own means")
    check_is_fitted(model)
    return model.to_score_function()


def _compare(
    model: SavableModel, function: ScoreFunction, format: Format, path: Path, data: RankingData | None
) -> ExportComparison:
    try:
        predict = format.predict(path, function.names)
    except (ImportError, DataError, OSError):
        raise
    except Exception as problem:  # what a reader of ours, of ONNX Runtime or of LightGBM stumbles over in a bad file
        reason = " ".join(str(problem).split())[:200]
        raise DataError(
            f"{path.name} is no sound {format.name} file ({type(problem).__name__}: {reason}); export it again"
        ) from None
    if data is not None:
        data = data.with_features(feature_names_of(model), model.n_features_in_, categories_of(model))
    probes = probe_rows(function, missing=format.missing and takes_missing(function))
    return ExportComparison(
        format=format.name,
        offset=format.offset(function),
        data=None if data is None else compare_rows(model, function, format, predict, data.X, data.qid),
        probes=compare_rows(model, function, format, predict, probes, None),
    )


def takes_missing(function: ScoreFunction) -> bool:
    """Whether missing values are nothing special to it: trees have a side for them."""
    if isinstance(function, BlendFunction):
        return all(takes_missing(part) for _, part in function.parts)
    return isinstance(function, TreeSum)
