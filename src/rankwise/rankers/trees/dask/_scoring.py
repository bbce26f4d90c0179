"""Scores of rows on a cluster, in the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import lightgbm as lgb
import numpy as np
from distributed import Client

from rankwise.data._sources import RowSource
from rankwise.rankers.trees._model_text import model_to_text, read_booster
from rankwise.rankers.trees._predict import average_scores
from rankwise.rankers.trees.dask._failure import explain_failure, task_results, workers_of
from rankwise.rankers.trees.dask._sources import ClusterRows, Piece, batches_of, distribute
from rankwise.types import FloatArray


def cluster_scores(boosters: Sequence[lgb.Booster], client: Client, rows: RowSource) -> Iterator[FloatArray]:
    """Scores of the pieces of rows, one after the other; workers are ahead of the reader."""
    workers_of(client)
    spread = rows if isinstance(rows, ClusterRows) else replace(distribute(client, rows), features=rows.features)
    (texts,) = client.scatter([[model_to_text(booster) for booster in boosters]], broadcast=True, hash=False)
    with explain_failure("in prediction"):
        futures = client.map(_scores, spread.pieces, texts=texts, features=spread.features, pure=False)
        yield from map(np.asarray, task_results(client, futures))


def _scores(piece: Piece, texts: Sequence[str], features: tuple[str, ...]) -> FloatArray:
    boosters = [read_booster(text) for text in texts]
    scores = [average_scores(boosters, batch.X, 1) for batch in batches_of(piece, features)]
    return np.concatenate([np.empty(0), *scores])
