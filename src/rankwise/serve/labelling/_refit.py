"""From the labels of one round to the next: fit, evaluate, choose, and write it all down."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np

from rankwise.data import RankingData
from rankwise.errors import DataError
from rankwise.labels import LabelStore
from rankwise.models import save
from rankwise.rankers._base import Ranker
from rankwise.sampling import Pool, RandomSampler, Sampler
from rankwise.serve.labelling._learning import CurvePoint, Gain, Learner, can_learn, expected_gain, learning_curve
from rankwise.types import BoolArray, IntArray

NO_RANKER = "none"


@dataclass(frozen=True)
class Chooser:
    """A sampler, and how many documents a person can label in one go."""

    sampler: Sampler
    per_query: int = 5
    queries: int = 10
    seed: int = 0

    def choose(self, data: RankingData, skipped: BoolArray, ranker: Ranker | None, number: int) -> tuple[str, IntArray]:
        """The rows of round `number` and the sampler that chose them; without a ranker they are drawn at random."""
        seed = int(np.random.default_rng([self.seed, number]).integers(2**31))
        query = data.groups.query_of_row()
        open_rows = (data.y < 0) & ~skipped
        labels = np.bincount(query[~open_rows], minlength=data.groups.n_queries)
        n_open = np.bincount(query[open_rows], minlength=data.groups.n_queries)
        # Fewest labels first, so that every query gets its turn; those with nothing left come last of all.
        order = np.lexsort([np.random.default_rng(seed).random(n_open.size), labels, n_open == 0])
        is_chosen = np.zeros(n_open.size, dtype=bool)
        is_chosen[order[: self.queries]] = True
        sampler = RandomSampler() if ranker is None else self.sampler
        pool = Pool(data, data.y, ranker, closed=skipped | ~is_chosen[query])
        if pool.candidates.size == 0:
            return sampler.kind, np.empty(0, np.int64)
        return sampler.kind, sampler.select(pool, self.per_query, seed)


@dataclass(frozen=True)
class NextRound:
    """A round as it was prepared: its items, and what is known of the ranker that chose them."""

    number: int
    items: list[int]
    sampler: str
    ranker: str
    model: Path | None  # its file, under a name of this process until the round is open
    value: float | None
    gain: Gain | None
    notice: str | None  # why there is no ranker, where labels should do


@dataclass(frozen=True)
class Refit:
    """What turns labels into the next round; models go to `folder`, one file per round."""

    store: LabelStore
    chooser: Chooser
    learner: Learner
    ranker: str  # its name
    folder: Path

    def prepare(self, number: int, stop: Event) -> NextRound:
        """Fit on all labels and choose; nothing but the model's file is written."""
        store, learner = self.store, self.learner
        data = store.training_data()
        ranker, value, gain, notice = None, None, None, None
        if can_learn(data):
            try:
                ranker = learner.fit(data, stop)
            except DataError as problem:  # trees need some dozens of rows; until then rounds are drawn at random
                notice = f"no model could be fitted to these labels ({problem})"
        model = None
        if ranker is not None:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            model = self._unnamed_model(number)
            save(ranker, model)
            value = learner.value(ranker, data, stop)
        sampler, rows = self.chooser.choose(data, skipped_items(store), ranker, number)
        if value is not None:
            point = CurvePoint(number, int((data.y >= 0).sum()), value)
            gain = expected_gain([*learning_curve(store.rounds(), learner.measure), point], len(rows))
        name = NO_RANKER if ranker is None else self.ranker
        return NextRound(number, rows.tolist(), sampler, name, model, value, gain, notice)

    def open(self, following: NextRound) -> None:
        """Begin the round that was prepared, its model recorded with it."""
        self.store.begin_round(
            following.number,
            following.items,
            sampler=following.sampler,
            ranker=following.ranker,
            metrics={} if following.value is None else {self.learner.measure: following.value},
            gain=None if following.gain is None else following.gain.value,
            model=following.model,
        )

    def discard(self, number: int) -> None:
        """Remove the model of a round that was prepared, and begun by another process or not at all."""
        with suppress(OSError):  # it is in nobody's way
            self._unnamed_model(number).unlink(missing_ok=True)

    def _unnamed_model(self, number: int) -> Path:
        """Where a model waits: another process may prepare the same round, and who begins it has the file's name."""
        return self.folder / f".round-{number}-{os.getpid()}.rw"


def skipped_items(store: LabelStore) -> BoolArray:
    """Which items somebody has skipped, so that they are not chosen again."""
    skipped = np.zeros(len(store.data), dtype=bool)
    skipped[[act.item for labeller in store.labellers() for act in store.judged_by(labeller) if act.skipped]] = True
    return skipped
