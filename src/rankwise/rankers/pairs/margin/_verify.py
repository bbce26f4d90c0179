"""A certificate from scratch: from the weights in a model and from rows, and from nothing that the solver said."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rankwise.objectives.margins._cutting_planes import Cut
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers.pairs.margin._certificate import MarginCertificate, margin_certificate
from rankwise.rankers.pairs.margin._programs import program
from rankwise.types import FloatArray


@dataclass(frozen=True, eq=False)
class CutPoint:
    """A combination whose tail is a part of the dual solution, with the share that it has of it."""

    share: float
    keys: list[Hashable]
    alpha: FloatArray
    epsilon: float
    number: int

    @classmethod
    def of(cls, share: float, cut: Cut) -> Self:
        """That of a cut."""
        used = np.flatnonzero(cut.alpha)
        return cls(float(share), [cut.keys[k] for k in used], cut.alpha[used], float(cut.tail_of.epsilon), cut.number)


def verified(model: Any, lists: PairLists, hypotheses: Any) -> MarginCertificate:
    """Primal value from the model's scores; dual bound from the tails of its cut points, mixed by their shares.

    Any mixture of tails is a distribution over pairs that the dual program allows, so the largest edge of a hypothesis
    against it is a bound, whoever wrote the file.
    """
    nu = _fitting(model.nu_, lists, model.epsilon_) if model.method == "heuristic" else None
    tail_of = program(model.method, lists, model.epsilon_, nu)
    scores = hypotheses.scores(model.keys_, model.alpha_)
    tail = tail_of(scores)
    mixed = np.zeros(lists.grade.size)
    total = sum(point.share for point in model.cuts_)
    for point in model.cuts_:
        at = hypotheses.scores(point.keys, point.alpha) if point.keys else np.zeros(lists.grade.size)
        its = tail_of if point.epsilon <= tail_of.epsilon else tail_of.eased(point.epsilon)  # never a harder program
        weights = its(at).weights
        mixed += point.share / total * weights[min(point.number, len(weights) - 1)]
    _, bound = hypotheses.best(hypotheses.memory(mixed), 1)
    return margin_certificate(model.method, lists, tail_of, tail, scores, bound)


def _fitting(nu: FloatArray | None, lists: PairLists, epsilon: float) -> FloatArray | None:
    """The model's ν+ where these rows have such blocks, and within what Suehiro 2011 allows: from ε·p to p; else
    none."""
    if nu is None or nu.size != len(lists.blocks.weights):
        return None
    p = lists.blocks.weights[:, 0]
    return np.clip(nu, epsilon * p, p)
