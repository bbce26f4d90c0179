"""From the labels of one round to the next: fit, judge, choose, and write it all down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
from numpy.typing import NDArray

from rankwise.labels import LabelStore
from rankwise.models import save
from rankwise.serve.labelling.choosing import Chooser
from rankwise.serve.labelling.curve import Point, curve_of, expected_gain
from rankwise.serve.labelling.learning import Learner, can_learn, scores_of

__all__ = ["Refit", "model_file", "skipped_items"]

NO_RANKER = "none"


@dataclass(frozen=True)
class Refit:
    """What turns labels into the next round; models go to `folder`, one file a round."""

    store: LabelStore
    chooser: Chooser
    learner: Learner
    ranker: str  # its name
    folder: Path

    def begin_round(self, number: int, stop: Event) -> None:
        """Fit on all labels and open round `number`; until then, nothing but the model's file is written."""
        store, learner = self.store, self.learner
        data = store.training_data()
        ranker, path, metrics, gain = None, model_file(self.folder, number), {}, None
        if can_learn(data):
            ranker = learner.fit(data, stop)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            save(ranker, path)
            scores_of(ranker, data.X[:1])  # from here on it takes rows without names
            value = learner.value(ranker, data, stop)
            metrics = {} if value is None else {learner.measure: value}
        sampler, rows = self.chooser.choose(data, skipped_items(store), ranker, number)
        if metrics:
            here = Point(number, int((data.y >= 0).sum()), metrics[learner.measure])
            expected = expected_gain([*curve_of(store.rounds(), learner.measure), here], len(rows))
            gain = None if expected is None else expected.value
        name = NO_RANKER if ranker is None else self.ranker
        store.begin_round(number, rows.tolist(), sampler=sampler, ranker=name, metrics=metrics, gain=gain)
        self.record_model(number)

    def record_model(self, number: int) -> None:
        """Note the file of an open round's model, once; a kill may have come between the round and its model."""
        path = model_file(self.folder, number)
        has_model = self.store.rounds()[-1].ranker not in (None, NO_RANKER)
        if has_model and path.is_file() and number not in {model.round for model in self.store.models()}:
            self.store.record_model(path)


def model_file(folder: Path, number: int) -> Path:
    """The file of the model that chose a round."""
    return folder / f"round-{number}.rw"


def skipped_items(store: LabelStore) -> NDArray[np.bool_]:
    """Which items somebody has skipped, so that they are not chosen again."""
    skipped = np.zeros(len(store.data), dtype=bool)
    skipped[[act.item for who in store.labellers() for act in store.judged_by(who) if act.skipped]] = True
    return skipped
