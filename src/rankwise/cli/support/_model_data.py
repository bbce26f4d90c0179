"""Models, and data that they are trained on or applied to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli._output import working
from rankwise.cli.support._data_files import read_data
from rankwise.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankwise.data import ParquetRows, RankingData


@dataclass(frozen=True)
class LoadedModel:
    """A model for arrays, and the names of its features, if it has any."""

    ranker: Any
    names: list[str] | None

    @property
    def features(self) -> list[str]:
        """What its features are called; those without a name by number, from 1 as in LETOR files and `--feature`."""
        return self.names or [f"feature {number}" for number in range(1, self.ranker.n_features_in_ + 1)]

    def read(self, files: list[Path], skip_bad: bool) -> RankingData:
        """Data that the model can score: its columns are those of the training data."""
        return _with_columns(read_features(files, skip_bad), files, self.ranker.n_features_in_, self.names)

    def scores(self, X: Any) -> Any:
        """One number per row, which a classifier of several classes does not have."""
        scores = self.ranker.scores(X)
        if scores.ndim != 1:
            raise DataError(
                f"a command needs one score per row, got a model of {scores.shape[1]} classes; load it in "
                f"Python instead"
            )
        return scores

    def streamed_scores(self, rows: ParquetRows, client: Any) -> Iterator[Any]:
        """Scores of rows that are read in passes, some at a time, by a cluster if there is a client of one."""
        count = self.ranker.n_features_in_
        rows = rows.widened(count).with_features(self.names, count)
        if client is None:
            return (self.scores(batch.X) for batch in rows.batches())
        from rankwise.rankers.trees.dask import cluster_scores

        if not hasattr(self.ranker, "boosters_"):
            raise DataError(f"--dask scores by a model of trees, got one of kind {self.ranker.kind}; drop it")
        pieces: Iterator[Any] = cluster_scores(self.ranker.boosters_, client, rows)
        return pieces


def load_model(path: Path) -> LoadedModel:
    """The model in a file."""
    with working("loading"):
        from rankwise.models import load

        ranker = load(path)
    # With names, scikit-learn would warn of rows that have none.
    names = vars(ranker).pop("feature_names_in_", None)
    return LoadedModel(ranker, None if names is None else [str(name) for name in names])


def read_features(
    files: list[Path], skip_bad: bool, like: RankingData | ParquetRows | None = None, leave_out: str | None = None
) -> RankingData:
    """The files as one data set with features: with the columns of other data, if that is given.

    A column to be left out need not be there.
    """
    data = read_data(files, skip_bad)
    if leave_out is not None and data.feature_names is not None and leave_out in data.feature_names:
        data = without_column(data, leave_out)[1]
    if data.n_features == 0:
        raise DataError(f"a model needs features, got {_listed(files)}, which has none; name data with features")
    return data if like is None else _with_columns(data, files, like.n_features, like.feature_names)


def named_features(data: RankingData) -> Any:
    """The features as a model learns from them, with their names if there are any."""
    from rankwise.rankers._features import NamedColumns

    return data.X if data.feature_names is None else NamedColumns(data.X, data.feature_names)


def without_column(data: RankingData, column: str) -> tuple[Any, RankingData]:
    """A column, by name or by number from 1, and the data without it."""
    import numpy as np

    known = data.feature_names or [str(number) for number in range(1, data.n_features + 1)]
    if column not in known:
        raise DataError(f"there is no column {column}, got {', '.join(known)[:200]}; name one of them")
    place = known.index(column)
    others = np.delete(np.arange(data.n_features), place)
    values = data.X[:, [place]]
    names = None if data.feature_names is None else [data.feature_names[other] for other in others]
    found = np.asarray(values.toarray() if data.is_sparse else values).ravel()
    return found, replace(data, X=data.X[:, others], feature_names=names)


def _listed(files: list[Path]) -> str:
    return ", ".join(map(str, files))


def _with_columns(data: RankingData, files: list[Path], count: int, names: list[str] | None) -> RankingData:
    """The data with these columns: found by name where both sides have names, else by place."""
    if names is not None and data.feature_names is not None:
        X = data.X[:, _places(data.feature_names, names, files)]
    elif data.n_features == count:
        X = data.X
    elif data.n_features < count and data.feature_names is None:
        X = _widened(data, count)
    else:
        raise DataError(
            f"{_listed(files)} must have the {count} features of the training data, got {data.n_features}; "
            "name data made in the same way"
        )
    return replace(data, X=X, feature_names=names)


def _places(found: list[str], names: list[str], files: list[Path]) -> Any:
    """Where the columns of these names are among those found, which must be the same, in any order."""
    place = {name: column for column, name in enumerate(found)}
    known = set(names)
    odd = [f"none named {name!r}" for name in names if name not in place]
    odd += [f"one named {name!r}" for name in found if name not in known]
    if odd:
        raise DataError(
            f"{_listed(files)} must have the columns of the training data, got {odd[0]}; name data made in the same way"
        )
    order = [place[name] for name in names]
    return order if order != list(range(len(found))) else slice(None)  # which copies nothing


def _widened(data: RankingData, count: int) -> Any:
    """X with columns of zeros at the end: LETOR text leaves out zeros, so its last features may be in no line."""
    import numpy as np
    import scipy.sparse as sp

    X = data.X
    if data.is_sparse:
        return sp.csr_array((X.data, X.indices, X.indptr), shape=(len(data), count))
    wide = np.zeros((len(data), count), dtype=X.dtype)
    wide[:, : data.n_features] = X
    return wide
