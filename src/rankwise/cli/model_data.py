"""Models, and data that they are trained on or applied to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli.data_files import read_data
from rankwise.cli.output import working
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import RankingData

__all__ = ["LoadedModel", "load_model", "read_features"]


@dataclass(frozen=True)
class LoadedModel:
    """A model for data from files, which names no columns, and what its features are called."""

    ranker: Any
    features: list[str]

    def read(self, files: list[Path], skip_bad: bool) -> RankingData:
        """Data that the model can score."""
        return read_features(files, skip_bad, len(self.features))


def load_model(path: Path) -> LoadedModel:
    """The model in a file; features without a name are numbered from 1, as in LETOR files and for `--feature`."""
    with working("loading"):
        from rankwise.models import load

        ranker = load(path)
    # With names, scikit-learn would warn of rows that have none.
    names = vars(ranker).pop("feature_names_in_", None)
    if names is None:
        names = [f"feature {number}" for number in range(1, ranker.n_features_in_ + 1)]
    return LoadedModel(ranker, [str(name) for name in names])


def read_features(files: list[Path], skip_bad: bool, n_features: int | None = None) -> RankingData:
    """The files as one data set with features: as many as a model or other data has, if that is given."""
    data = read_data(files, skip_bad)
    names = ", ".join(map(str, files))
    if data.n_features == 0:
        raise DataError(f"a model needs features, got {names}, which has none; name data with features")
    if n_features is not None and data.n_features != n_features:
        raise DataError(
            f"{names} must have the {n_features} features of the training data, got {data.n_features}; "
            "name data made in the same way"
        )
    return data
