"""Save and load models, never by pickle.

A `.rw` file is a zip of `manifest.json` (format version, kind, metric, parameters, feature names, training summary,
checksums) and of the engine's own text. Loading runs no code from the file.
"""

from __future__ import annotations

from os import PathLike
from types import UnionType
from typing import Any

import rankwise.selection  # noqa: F401  (kinds of models become known by being imported)
from rankwise._version import __version__
from rankwise.data._arrow_columns import MAX_CATEGORIES
from rankwise.errors import DataError, ModelFileError
from rankwise.models._archive import read_archive, read_manifest, write_archive
from rankwise.rankers._base import SavableModel, SavedModel, model_kinds
from rankwise.types import JsonObject

FORMAT = 1
MAX_FEATURES = 4 * 10**6  # a small file may have that many, and each is named where a model is exported

FIELDS: dict[str, type | UnionType] = {
    "format": int,
    "rankwise": str,
    "kind": str,
    "metric": str,
    "parameters": dict,
    "n_features": int,
    "feature_names": list | None,
    "categories": dict,
    "summary": dict,
    "sha256": dict,
}


def save(model: SavableModel, path: str | PathLike[str]) -> None:
    """Write a fitted model to a file, without pickle.

    The same model is the same file, byte for byte. The file is written whole or not at all.

    Parameters
    ----------
    model : SavableModel
        A fitted ranker or classifier of rankwise.
    path : path-like
        File to write; `.rw` is the usual ending.

    Raises
    ------
    DataError
        If it is not a model of rankwise, or holds what cannot be saved, such as a net of your own.

    Examples
    --------
    >>> import tempfile
    >>> import rankwise as rw
    >>> data = rw.data.web(queries=5, documents=10, features=3, seed=0)
    >>> path = tempfile.mkdtemp() + "/model.rw"
    >>> model = rw.RankSVM().fit(data)
    >>> rw.save(model, path)
    >>> bool((rw.load(path).predict(data) == model.predict(data)).all())
    True
    """
    if not isinstance(model, SavableModel) or type(model) not in model_kinds().values():
        raise DataError(f"save takes a model of rankwise, got {type(model).__name__}; save it by its own means")
    saved = model.to_saved()
    if saved.n_features > MAX_FEATURES:
        raise DataError(
            f"a file holds models of up to {MAX_FEATURES} features, got {saved.n_features}; hash or drop some"
        )
    manifest = {
        "format": FORMAT,
        "rankwise": __version__,
        "kind": saved.kind,
        "metric": saved.metric,
        "parameters": saved.parameters,
        "n_features": saved.n_features,
        "feature_names": saved.feature_names,
        "categories": saved.categories,
        "summary": saved.summary,
    }
    write_archive(path, manifest, saved.members)


def load(path: str | PathLike[str]) -> Any:
    """Read a model that was saved; its scores are the same, bit for bit.

    No code of the file is run: everything in it is checked before it is used.

    Parameters
    ----------
    path : path-like
        A file that `save` wrote.

    Returns
    -------
    SavableModel
        The fitted model.

    Raises
    ------
    ModelFileError
        If the file is not whole and sound.
    """
    manifest, members = read_archive(path)
    _check(path, manifest)
    saved = SavedModel(
        kind=manifest["kind"],
        metric=manifest["metric"],
        parameters=manifest["parameters"],
        n_features=manifest["n_features"],
        feature_names=manifest["feature_names"],
        categories=manifest["categories"],
        summary=manifest["summary"],
        members=members,
    )
    try:
        return model_kinds()[saved.kind].from_saved(saved)
    except ModelFileError as problem:
        raise ModelFileError(f"{path}: {problem}") from None


def info(path: str | PathLike[str]) -> JsonObject:
    """Read what the manifest of a model file says; the model itself is not read.

    Parameters
    ----------
    path : path-like
        A model file.

    Returns
    -------
    dict
        The format, kind, metric, parameters, features and training summary, in plain Python types.

    Raises
    ------
    ModelFileError
        If the file is not whole, or its manifest is not one of rankwise.
    """
    manifest = read_manifest(path)
    _check(path, manifest)
    return manifest


def _check(path: str | PathLike[str], manifest: JsonObject) -> None:
    version = manifest.get("format")
    if version != FORMAT or isinstance(version, bool):
        raise ModelFileError(
            f"{path} has format {str(version)[:20]}, this rankwise reads {FORMAT}; get the one that wrote it"
        )
    if set(manifest) != set(FIELDS):
        odd = sorted(set(manifest) ^ set(FIELDS))
        raise ModelFileError(f"{path} has other fields in its manifest than rankwise writes: {odd[:3]}; save it again")
    for name, kind in FIELDS.items():
        if not isinstance(manifest[name], kind) or isinstance(manifest[name], bool):
            raise ModelFileError(f"{path}: {name} is a {type(manifest[name]).__name__} in the manifest; save it again")
    names, count = manifest["feature_names"], manifest["n_features"]
    if not 1 <= count <= MAX_FEATURES:
        raise ModelFileError(f"{path} is a model of {count} features, which cannot be; save it again")
    if names is not None and (len(names) != count or not all(isinstance(name, str) for name in names)):
        raise ModelFileError(f"{path} must name each of its {count} features, got {len(names)} names; save it again")
    known_names = set(names or ())
    for name, values in manifest["categories"].items():
        if name not in known_names or not _are_categories(values):
            raise ModelFileError(
                f"{path}: the categories of {name[:40]!r} must be different texts of one of its features; save it again"
            )
    if manifest["kind"] not in model_kinds():
        known = ", ".join(model_kinds())
        raise ModelFileError(
            f"{path} is a model of kind {manifest['kind'][:40]!r}, known are: {known}; get a newer rankwise"
        )


def _are_categories(values: object) -> bool:
    return (
        isinstance(values, list)
        and 1 <= len(values) <= MAX_CATEGORIES
        and all(isinstance(value, str) for value in values)
        and len(set(values)) == len(values)
    )
