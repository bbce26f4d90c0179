"""What the page is told, as plain values for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from rankwise.serve.labelling._curve import GAIN_IN_WORDS, curve_of, expected_gain
from rankwise.serve.labelling._session import Session

MOST_FEATURES = 60
MOST_QUERIES = 50


def work_view(session: Session, who: str, item: int | None = None) -> dict[str, Any]:
    """The query that a labeller should do now, or the one of an item that they name, with its documents."""
    with session.lock:
        handout = session.handout
        place = handout.next_place(who) if item is None else handout.place_of(session.offered(item, who))
        items = handout.shown(place, who) if place is not None else [] if item is None else [item]
        before = [p for p in handout.held(who) if place is None or p < place]
        after = [p for p in handout.held(who) if place is not None and p > place]
        return {
            **_status(session, who),
            "query": _query(session, items[0], place) if items else None,
            "items": [_item(session, one, who) for one in items],
            "before": handout.queries[before[-1]][0] if before else None,
            "after": handout.queries[after[0]][0] if after else None,
        }


def act_view(session: Session, who: str, item: int) -> dict[str, Any]:
    """What holds of an item after an act."""
    with session.lock:
        return {**_status(session, who), "item": _state(session, item, who)}


def progress_view(session: Session) -> dict[str, Any]:
    """The learning curve, the gain to be expected, labels per query, agreement."""
    store, learner = session.store, session.refit.learner
    rounds = store.rounds()
    curve = curve_of(rounds, learner.measure)
    gain = expected_gain(curve, len(rounds[-1].items))
    y, groups = store.labels(), store.data.groups
    query = groups.query_of_row()
    labels = np.bincount(query[y >= 0], minlength=groups.n_queries)
    in_round = np.unique(query[list(rounds[-1].items)])
    rest = np.setdiff1d(np.flatnonzero(labels), in_round)
    agreement = store.agreement()
    return {
        "metric": learner.metric,
        "judged_on": learner.judged_on,
        "notice": session.notice,
        "curve": [asdict(point) for point in curve],
        "gain": None if gain is None else asdict(gain),
        "gain_is": GAIN_IN_WORDS,
        "labels": int(labels.sum()),
        "documents": len(store.data),
        "queries": groups.n_queries,
        "queries_labelled": int((labels > 0).sum()),
        "per_query": [
            {"qid": str(groups.qids[q]), "labels": int(labels[q]), "documents": int(groups.sizes[q])}
            for q in [*in_round, *rest][:MOST_QUERIES]
        ],
        "agreement": {
            "items": agreement.items,
            "fleiss": _number(agreement.fleiss),
            "pairs": [
                {**asdict(pair), "same": _number(pair.same), "kappa": _number(pair.kappa)} for pair in agreement.pairs
            ],
        },
    }


def _status(session: Session, who: str) -> dict[str, Any]:
    last = session.store.last_act(who)
    return {
        "who": who,
        "round": session.round,
        "phase": _phase(session, who),
        "failure": session.failure,
        "done": session.handout.n_done(),
        "of": len(session.handout.items),
        "mine": session.handout.n_judged(who),
        "sampler": session.now.sampler,
        "ranker": session.now.ranker,
        "highest_grade": session.store.highest_grade,
        "last": None if last is None else last.id,
    }


def _phase(session: Session, who: str) -> str:
    if session.is_fitting:
        return "fitting"
    if session.failure is not None:
        return "failed"
    if not session.handout.items:
        return "finished"
    return "labelling" if session.handout.next_place(who) is not None else "waiting"


def _query(session: Session, item: int, place: int | None) -> dict[str, Any]:
    shown = session.store.item(item)
    return {"qid": shown.qid, "fields": shown.query_fields, "place": place, "of": len(session.handout.queries)}


def _state(session: Session, item: int, who: str) -> dict[str, Any]:
    held = session.held(item, who)
    return {
        "item": item,
        "grade": held and held.grade,
        "skipped": held is not None and held.skipped,
        "note": (held and held.note) or "",
    }


def _item(session: Session, item: int, who: str) -> dict[str, Any]:
    shown = session.store.item(item)
    features = None if shown.fields else _features(session, item)
    return {**_state(session, item, who), "doc_id": shown.doc_id, "fields": shown.fields, "features": features}


def _features(session: Session, item: int) -> dict[str, Any]:
    """The features that are not 0, by name or by number from 1, as LETOR files count them."""
    data = session.store.data
    row = data.X[[item]].toarray()[0] if data.is_sparse else data.X[item]
    columns = np.flatnonzero(row != 0)
    names = data.feature_names or [f"feature {number}" for number in range(1, data.n_features + 1)]
    return {
        "shown": [[names[c], "missing" if math.isnan(row[c]) else f"{row[c]:.6g}"] for c in columns[:MOST_FEATURES]],
        "more": max(int(columns.size) - MOST_FEATURES, 0),
        "zeros": int(row.size - columns.size),
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
