"""Marks near each other: their words stay apart, off the dots and inside the picture."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from rankwise.plot._words import Mark, draw_marks

WORDS = ["own threshold", "hindsight, r@p=0.8", "hindsight, tpr@fpr=0.05"]


@pytest.mark.parametrize("place", [(0.5, 0.5), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (0.02, 0.03)])
@pytest.mark.parametrize("spread", [0.0, 0.01, 0.1])
def test_words_stay_apart(place, spread) -> None:
    figure: Any = Figure(figsize=(5, 3.4), layout="constrained")
    ax = figure.add_subplot()
    ax.plot([0, 1], [1, 0])
    ax.set(xlim=(-0.01, 1.01), ylim=(0, 1.02))
    shifts = np.random.default_rng(0).uniform(-spread, spread, (6, 2))
    dots = np.clip(np.array(place) + shifts, 0, 1)
    draw_marks(ax, [Mark(x, y, WORDS[k % 3], "#0072b2", hollow=k > 1) for k, (x, y) in enumerate(dots)])
    figure.draw_without_rendering()
    words = [text for text in ax.texts if text.get_text()]
    assert len(words) == 6
    assert all(word.get_visible() for word in words)
    boxes = [word.get_window_extent() for word in words]
    inside = ax.get_window_extent()
    for box in boxes:
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
        assert inside.y0 <= box.y0 <= box.y1 <= inside.y1
        assert box.count_contains(ax.transData.transform(dots)) == 0
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_more_words_than_fit_leave_some_out_and_none_upon_another() -> None:
    figure: Any = Figure(figsize=(3.2, 1.7), layout="constrained")
    ax = figure.add_subplot()
    draw_marks(ax, [Mark(0.5, 0.5, WORDS[1], "#0072b2")] * 30)
    figure.draw_without_rendering()
    boxes = [word.get_window_extent() for word in ax.texts if word.get_text() and word.get_visible()]
    assert 0 < len(boxes) < 30
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_a_word_stands_nearest_to_its_own_dot() -> None:
    figure: Any = Figure(figsize=(5, 3.4), layout="constrained")
    ax = figure.add_subplot()
    curve = np.linspace(0, 1, 200)
    ax.plot(curve, 1 - 0.3 * curve)
    ax.set(xlim=(-0.01, 1.01), ylim=(0, 1.02))
    dots = np.array([[0.43, 0.87], [0.27, 0.92]])
    draw_marks(ax, [Mark(x, y, word, "#0072b2") for (x, y), word in zip(dots, WORDS, strict=False)])
    figure.draw_without_rendering()
    places = ax.transData.transform(dots)
    for number, word in enumerate(text for text in ax.texts if text.get_text()):
        box = word.get_window_extent()
        gaps = np.hypot(*(places - np.clip(places, box.min, box.max)).T)
        assert gaps.argmin() == number
