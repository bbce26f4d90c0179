"""What a threshold does, counted one row at a time, and populations of which every rate is known exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def count(y, scores, threshold):
    """True positives, false positives, false negatives and true negatives."""
    tp = fp = fn = tn = 0
    for label, score in zip(y, scores, strict=True):
        if score >= threshold:
            tp, fp = (tp + 1, fp) if label > 0 else (tp, fp + 1)
        else:
            fn, tn = (fn + 1, tn) if label > 0 else (fn, tn + 1)
    return tp, fp, fn, tn


@dataclass(frozen=True)
class Population:
    """Scores 0, 1, 2, … of these chances, and the chance of a positive at each."""

    mass: NDArray[np.float64]
    positive: NDArray[np.float64]

    def sample(self, rng, rows):
        scores = rng.choice(self.mass.size, size=rows, p=self.mass)
        return (rng.random(rows) < self.positive[scores]).astype(float), scores.astype(float)

    def rate(self, name, threshold):
        """Precision, recall or FPR of "score ≥ threshold"."""
        taken = np.arange(self.mass.size) >= threshold
        hits, misses = self.mass * self.positive, self.mass * (1 - self.positive)
        if name == "precision":
            return hits[taken].sum() / self.mass[taken].sum()
        share = hits if name == "recall" else misses
        return share[taken].sum() / share.sum()

    def keeps(self, name, target, threshold):
        found = self.rate(name, threshold)
        return found <= target + 1e-12 if name == "fpr" else found >= target - 1e-12


def flat(levels=1000, below=0.001, target=0.8):
    """The precision is a little below the target for every threshold but the lowest: luck alone reaches it."""
    mass = np.full(levels, 0.7 / (levels - 1))
    mass[0] = 0.3
    return Population(mass, np.append(0.05, np.full(levels - 1, target - below)))


def waves(levels=60, target=0.8):
    """The precision swings about the target, so that right and wrong thresholds alternate."""
    from_top = np.arange(levels)[::-1]
    return Population(np.full(levels, 1 / levels), target - 0.005 + 0.15 * np.where(from_top % 12 < 6, 1, -1))


def tied():
    """Five scores only."""
    return Population(np.array([0.4, 0.2, 0.15, 0.15, 0.1]), np.array([0.02, 0.3, 0.7, 0.85, 0.9]))


def separated(levels=200):
    """A model that ranks well: the chance of a positive rises from 0 to 1."""
    at = np.linspace(-6, 6, levels)
    return Population(np.full(levels, 1 / levels), 1 / (1 + np.exp(-2 * at)))
