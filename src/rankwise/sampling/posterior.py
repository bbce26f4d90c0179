"""How likely each grade of an unlabelled document is, by its score: what the labels so far say of scores."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from rankwise.metrics.evaluate import rows_of
from rankwise.sampling.pool import Array, Pool

__all__ = ["grade_chances"]


def grade_chances(pool: Pool) -> tuple[Array, Array]:
    """The grades that were given so far, and for each candidate the chance of each of them.

    P(grade >= g) is a logistic function of the score, fitted to the labels so far, for each g; scores are first divided
    by their deviation, since rankers have scales of their own.
    """
    labels = pool.y[pool.labelled]
    grades = np.unique(labels)
    if grades.size < 2:
        return grades, np.ones((pool.candidates.size, grades.size))
    known = rows_of("scores", pool.ranker.predict(pool.data.X[pool.labelled]))
    deviation = float(known.std()) or 1.0
    at_least = np.ones((pool.candidates.size, grades.size + 1))
    at_least[:, -1] = 0
    for column, grade in enumerate(grades[1:], start=1):
        model = LogisticRegression().fit(known[:, None] / deviation, labels >= grade)
        if pool.candidates.size:
            at_least[:, column] = model.predict_proba(pool.scores[:, None] / deviation)[:, 1]
    # Separate fits may cross: a chance of 2 or more is none above that of 1 or more.
    return grades, -np.diff(np.minimum.accumulate(at_least, axis=1), axis=1)
