"""Scores of rows on a cluster, in the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import lightgbm as lgb
import numpy as np
from distributed import Client

from rankwise.rankers.boosting import Scores
from rankwise.rankers.distributed.sources import Piece, as_cluster_rows, batches_of
from rankwise.rankers.features import as_features
from rankwise.rankers.row_passes import mean_scores
from rankwise.rankers.tree_text import read_booster, written

__all__ = ["cluster_scores"]


def cluster_scores(model: Any, boosters: Sequence[lgb.Booster], client: Client, X: Any) -> Iterator[Scores]:
    """Scores of the pieces of X, one after the other; workers are ahead of the reader."""
    if isinstance(X, np.ndarray):
        yield model.predict(X)
        return
    rows = as_features(model, as_cluster_rows(client, X), fitting=False)
    texts = [written(booster) for booster in boosters]
    futures = client.map(_scores, rows.pieces, texts=texts, features=rows.features, pure=False)
    while futures:
        yield futures.pop(0).result()


def _scores(piece: Piece, texts: Sequence[str], features: tuple[str, ...]) -> Scores:
    boosters = [read_booster(text) for text in texts]
    parts = [mean_scores(boosters, batch.X, 1) for batch in batches_of(piece, features)]
    return np.concatenate([np.empty(0), *parts])
