"""Donmez 2009 figure 1 in plain Python: lists of rows and loops over queries, no Pool and no shared code but the
ranker."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import average_precision_score, roc_auc_score


def curves(data: Any, test: Any, ranker: Any, choose: Any, rounds: int, per_query: int, seed: int, start: Any) -> Any:
    """AUC and MAP after each round and the labels so far; stops where nothing is left to label."""
    rows_of = {q: [row for row in range(len(data.y)) if data.qid[row] == q] for q in dict.fromkeys(data.qid.tolist())}
    known = first_rows(data.y, rows_of, start, seed)
    found: dict[str, list[Any]] = {"auc": [], "map": [], "labelled": []}
    for t in range(rounds + 1):
        rows = sorted(known)
        fitted = clone(ranker).fit(data.X[rows], data.y[rows], qid=data.qid[rows])
        judge(found, test, fitted.predict(test.X))
        found["labelled"].append(len(known))
        unknown = {q: [row for row in rows_of[q] if row not in known] for q in rows_of}
        if not any(unknown.values()):
            break
        known |= choose(unknown, fitted.predict(data.X), per_query, number(seed, t + 1))
    return found


def order_curves(
    data: Any, test: Any, ranker: Any, choose: Any, rounds: int, per_query: int, seed: int, start: Any
) -> Any:
    """The same where an answer is the order of what was asked for together: a list of (documents, places) each."""
    rows_of = {q: [row for row in range(len(data.y)) if data.qid[row] == q] for q in dict.fromkeys(data.qid.tolist())}
    asked = first_rows(data.y, rows_of, start, seed)
    answers: list[tuple[list[int], list[int]]] = []
    found: dict[str, list[Any]] = {"auc": [], "map": [], "labelled": []}
    for t in range(rounds + 1):
        for of_query in rows_of.values():
            rows = [row for row in of_query if row in asked]
            if rows:
                answers.append((rows, [len({data.y[b] for b in rows if data.y[b] < data.y[a]}) for a in rows]))
        rows = [row for documents, _ in answers for row in documents]
        places = [place for _, order in answers for place in order]
        lists = [number for number, (documents, _) in enumerate(answers) for _ in documents]
        fitted = clone(ranker).fit(data.X[rows], np.array(places, dtype=float), qid=np.array(lists))
        judge(found, test, fitted.predict(test.X))
        found["labelled"].append(len(rows))
        unknown = {q: [row for row in rows_of[q] if row not in rows] for q in rows_of}
        asked = choose(unknown, fitted.predict(data.X), per_query, number(seed, t + 1))
    return found


def first_rows(y: Any, rows_of: dict[Any, list[int]], start: tuple[int, int], seed: int) -> set[int]:
    drawn = np.random.default_rng([seed, 0]).random(len(y))
    known: set[int] = set()
    for rows in rows_of.values():
        by_luck = sorted(rows, key=lambda row: drawn[row])
        known |= set([row for row in by_luck if y[row] >= 1][: start[0]])
        known |= set([row for row in by_luck if y[row] < 1][: start[1]])
    return known


def number(seed: int, t: int) -> int:
    return int(np.random.SeedSequence([seed, t]).generate_state(1, np.uint32)[0]) // 2


def choose_top(unknown: dict[Any, list[int]], scores: Any, per_query: int, seed: int) -> set[int]:
    chosen: set[int] = set()
    for rows in unknown.values():
        chosen |= set(sorted(rows, key=lambda row: -scores[row])[:per_query])
    return chosen


def choose_lossmin(unknown: dict[Any, list[int]], scores: Any, per_query: int, seed: int, weight: float = 0.6) -> Any:
    chosen: set[int] = set()
    for rows in unknown.values():
        if not rows:
            continue
        rising = sorted(rows, key=lambda row: scores[row])
        gaps = [scores[b] - scores[a] for a, b in pairwise(rising)]
        below = gaps.index(max(gaps)) if gaps else 0
        threshold = below + 1.5
        loss = {}
        for rank, row in enumerate(rising, 1):
            positive = 1 / (1 + math.exp(scores[rising[below]] - scores[row]))
            low = max(0.0, 0.5 - (rank - threshold)) / abs(1 - threshold)
            high = max(0.0, 0.5 + (rank - threshold)) / abs(len(rising) - threshold)
            loss[row] = positive * low * (1 - weight) + (1 - positive) * high * weight
        chosen |= set(sorted(rows, key=lambda row: -loss[row])[:per_query])
    return chosen


def judge(found: dict[str, list[Any]], test: Any, scores: Any) -> None:
    auc, ap = [], []
    for q in dict.fromkeys(test.qid.tolist()):
        of_query = test.qid == q
        labels = test.y[of_query] >= 1
        if 0 < labels.sum() < labels.size:
            auc.append(roc_auc_score(labels, scores[of_query]))
        if labels.any():
            ap.append(average_precision_score(labels, scores[of_query]))
    found["auc"].append(np.mean(auc))
    found["map"].append(np.mean(ap))
