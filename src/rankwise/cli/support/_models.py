"""Models that were loaded from a file, and the data that they are applied to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli._output import working
from rankwise.cli.support._reading import ReadOptions, read_features
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import RankingData
    from rankwise.types import FloatArray


@dataclass(frozen=True)
class LoadedModel:
    """A model, and the names of its features, if it has any."""

    ranker: Any
    names: list[str] | None

    @property
    def features(self) -> list[str]:
        """What its features are called; those without a name by number, from 1 as in LETOR files and `--feature`."""
        return self.names or [f"feature {number}" for number in range(1, self.ranker.n_features_in_ + 1)]

    def read(self, files: list[Path], reading: ReadOptions) -> RankingData:
        """Data that the model can score: its columns are those of the training data."""
        return read_features(files, reading).with_features(self.names, self.ranker.n_features_in_)

    def scores(self, X: object) -> FloatArray:
        """One number per row, which a classifier of several classes does not have."""
        scores: FloatArray = self.ranker.scores(X)
        if scores.ndim != 1:
            raise DataError(
                f"a command needs one score per row, got a model of {scores.shape[1]} classes; load it in "
                f"Python instead"
            )
        return scores


def load_model(path: Path) -> LoadedModel:
    """The model in a file."""
    with working("loading"):
        from rankwise.models import load
        from rankwise.rankers._features import feature_names_of

        ranker = load(path)
    return LoadedModel(ranker, feature_names_of(ranker))
