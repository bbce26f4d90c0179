"""Models, and data that they are trained on or applied to."""

from __future__ import annotations

from dataclasses import dataclass
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
    """A model, and the names of its features, if it has any."""

    ranker: Any
    names: list[str] | None

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """The values of its features that are categories."""
        return getattr(self.ranker, "categories_", {})

    @property
    def features(self) -> list[str]:
        """What its features are called; those without a name by number, from 1 as in LETOR files and `--feature`."""
        return self.names or [f"feature {number}" for number in range(1, self.ranker.n_features_in_ + 1)]

    def read(self, files: list[Path], skip_bad: bool) -> RankingData:
        """Data that the model can score: its columns are those of the training data."""
        return read_features(files, skip_bad).with_features(self.names, self.ranker.n_features_in_, self.categories)

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
        rows = rows.with_features(self.names, self.ranker.n_features_in_, self.categories)
        if client is None:
            from rankwise.rankers._features import MatchedColumns

            return (self.scores(MatchedColumns(batch.X)) for batch in rows.batches())
        from rankwise.rankers.trees.dask import cluster_scores

        if not hasattr(self.ranker, "boosters_"):
            raise DataError(f"--dask scores by a model of trees, got one of kind {self.ranker.kind}; drop it")
        pieces: Iterator[Any] = cluster_scores(self.ranker.boosters_, client, rows)
        return pieces


def load_model(path: Path) -> LoadedModel:
    """The model in a file."""
    with working("loading"):
        from rankwise.models import load
        from rankwise.rankers._features import feature_names_of

        ranker = load(path)
    return LoadedModel(ranker, feature_names_of(ranker))


def read_features(files: list[Path], skip_bad: bool) -> RankingData:
    """The files as one data set with features."""
    data = read_data(files, skip_bad)
    if data.n_features == 0:
        listed = ", ".join(map(str, files))
        raise DataError(f"a model needs features, got {listed}, which has none; name data with features")
    return data
