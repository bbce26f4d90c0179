"""How likely each grade of an unlabelled document is, by its score: what the labels so far say of scores."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray


def grade_chances(pool: Pool) -> tuple[FloatArray, FloatArray]:
    """The grades that were given so far, and for each candidate the chance of each of them.

    P(grade >= g) is a logistic function of the score, fitted to the labels so far, for each g; scores are counted from
    their mean in deviations, since rankers have scales of their own. Without labels all grades are taken to be 0.
    """
    labels = pool.y[pool.labelled]
    grades = np.unique(labels)
    if grades.size == 0:
        grades = np.zeros(1)
    if grades.size == 1:
        return grades, np.ones((pool.candidates.size, grades.size))
    middle, deviation = pool.known_scores.mean(), deviation_of(pool.known_scores)
    known, scores = ((rows[:, None] - middle) / deviation for rows in (pool.known_scores, pool.scores))
    at_least = np.ones((pool.candidates.size, grades.size + 1))
    at_least[:, -1] = 0
    for column, grade in enumerate(grades[1:], start=1):
        model = LogisticRegression().fit(known, labels >= grade)
        if pool.candidates.size:
            at_least[:, column] = model.predict_proba(scores)[:, 1]
    # Separate fits may cross: a chance of 2 or more is none above that of 1 or more.
    return grades, -np.diff(np.minimum.accumulate(at_least, axis=1), axis=1)


def deviation_of(scores: FloatArray) -> float:
    """The standard deviation of scores, 1 where they are all equal (their deviation is then a rounding error)."""
    return float(scores.std()) if np.ptp(scores) > 0 else 1.0
