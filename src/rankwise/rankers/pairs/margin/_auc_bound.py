"""What a margin on the training rows says of the AUC on rows to come: Suehiro 2011 theorem 1, with its cover."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankwise.errors import DataError
from rankwise.metrics._evaluation import format_table
from rankwise.objectives.margins._lists import PairLists
from rankwise.rankers.pairs.margin._certificate import shares_at
from rankwise.types import FloatArray

MARGINS: FloatArray = np.exp2(-0.25 * np.arange(40.0))  # that are tried: from 1 to .001, fixed before any row is seen


@dataclass(frozen=True)
class AUCBound:
    """The AUC on rows to come is `auc` or more, with this confidence; below ½ that says nothing.

    `share` of the pairs have the margin (half a difference of scores) or more, of which `slack` is taken off.
    """

    confidence: float
    rows: int
    positives: int
    hypotheses: int
    margin: float
    share: float
    log_covering_number: float
    slack: float

    @property
    def auc(self) -> float:
        """What is proved of the AUC; it may be far below 0."""
        return self.share - self.slack

    @property
    def vacuous(self) -> bool:
        """Whether a ranking by chance, whose AUC is ½, is not excluded."""
        return self.auc <= 0.5

    def __str__(self) -> str:
        lines = [
            ("what", "value"),
            ("confidence", f"{self.confidence:g}"),
            ("rows, of them positive", f"{self.rows:,}, {self.positives:,}"),
            ("hypotheses", f"{self.hypotheses:,}"),
            ("margin", f"{self.margin:.6f}"),
            ("pairs at it or more", f"{self.share:.4%}"),
            ("log of the covering number", f"{self.log_covering_number:.1f}"),
            ("slack", f"{self.slack:.4f}"),
            ("AUC at least", f"{self.auc:.4f}" + (" (vacuous)" if self.vacuous else "")),
        ]
        return format_table(lines)


def log_covering_number(hypotheses: int, radius: float) -> float:
    """Natural logarithm of a number of balls that cover all convex combinations, in the largest difference of scores.

    Two combinations differ nowhere by more than their weights do in sum, since hypotheses are from −1 to 1. Weights
    that are rounded to multiples of 1/k so that they still add up to 1, the largest remainders up, change in sum by at
    most N/(2k): k = N/(2·radius) is enough, and there are (k + N − 1 over N − 1) such weights.
    """
    steps = math.ceil(hypotheses / (2.0 * radius))
    return math.lgamma(steps + hypotheses) - math.lgamma(hypotheses) - math.lgamma(steps + 1)


def slack(log_cover: float, rows: int, positives: int, risk: float) -> float:
    """ε of theorem 1 for a probability of 1 − risk: 2·cover·exp(−m ε² E²/8) is half the risk.

    E is the probability that the first of two rows is positive and the second is not, q(1 − q); q is within Hoeffding's
    interval about the share of positives but for the other half of the risk.
    """
    distance = math.sqrt(math.log(4.0 / risk) / (2.0 * rows))
    q = min(positives, rows - positives) / rows - distance
    if q <= 0.0:
        return math.inf
    return math.sqrt(8.0 * (log_cover + math.log(4.0 / risk)) / rows) / (q * (1.0 - q))


def auc_bound(lists: PairLists, scores: FloatArray, hypotheses: int, confidence: float) -> AUCBound:
    """The best of theorem 1 over MARGINS, each at its share of the risk."""
    if len(lists.blocks.weights) != 1 or (lists.weight != 1.0).any():
        raise DataError("the bound is for one list of two grades and no weights; pass such rows")
    positives, rows = int(lists.blocks.weights[0, 0]), lists.grade.size
    risk = (1.0 - confidence) / MARGINS.size
    bounds = []
    for margin, share in zip(MARGINS.tolist(), shares_at(lists, scores, MARGINS).tolist(), strict=True):
        log_cover = log_covering_number(hypotheses, 2.0 * margin / 4.0)  # its ρ is a difference, not half of one
        taken = slack(log_cover, rows, positives, risk)
        bounds.append(AUCBound(confidence, rows, positives, hypotheses, margin, share, log_cover, taken))
    return max(bounds, key=lambda bound: bound.auc)
