"""What the page is told, as plain values for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np

from rankwise.serve.labelling._learning import GAIN_IN_WORDS, expected_gain, learning_curve
from rankwise.serve.labelling._session import Session
from rankwise.types import JsonObject

MAX_FEATURES = 60
MAX_QUERIES = 50


def work_view(session: Session, labeller: str, item: int | None = None) -> JsonObject:
    """The query that a labeller claims by this, or the one of an item that they name, with its documents."""
    with session.lock:
        session.catch_up()
        handout = session.handout
        query = handout.claim_query(labeller) if item is None else handout.query_of(session.offered(item, labeller))
        items = handout.shown(query, labeller) if query is not None else [] if item is None else [item]
        judged = handout.judged_queries(labeller)
        before = [other for other in judged if query is None or other < query]
        after = [other for other in judged if query is not None and other > query]
        return {
            **_status(session, labeller),
            "query": _query(session, items[0], query) if items else None,
            "items": [_item(session, item, labeller) for item in items],
            "before": handout.queries[before[-1]][0] if before else None,
            "after": handout.queries[after[0]][0] if after else None,
        }


def act_view(session: Session, labeller: str, item: int) -> JsonObject:
    """What holds of an item after an act."""
    with session.lock:
        return {**_status(session, labeller), "item": _state(session, item, labeller)}


def progress_view(session: Session) -> JsonObject:
    """The learning curve, the gain to be expected, labels per query, agreement."""
    store, learner = session.store, session.refit.learner
    rounds = store.rounds()
    curve = learning_curve(rounds, learner.measure)
    gain = expected_gain(curve, len(rounds[-1].items))
    y, groups = store.labels(), store.data.groups
    query = groups.query_of_row()
    labels = np.bincount(query[y >= 0], minlength=groups.n_queries)
    in_round = np.unique(query[list(rounds[-1].items)])
    others = np.setdiff1d(np.flatnonzero(labels), in_round)
    agreement = store.agreement()
    return {
        "metric": learner.metric,
        "judged_on": learner.evaluated_on,
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
            for q in [*in_round, *others][:MAX_QUERIES]
        ],
        "agreement": {
            "items": agreement.items,
            "fleiss": _number(agreement.fleiss),
            "pairs": [
                {**asdict(pair), "same": _number(pair.same), "kappa": _number(pair.kappa)} for pair in agreement.pairs
            ],
        },
    }


def _status(session: Session, labeller: str) -> JsonObject:
    last = session.store.last_act(labeller)
    return {
        "labeller": labeller,
        "round": session.round,
        "phase": _phase(session, labeller),
        "failure": session.failure,
        "done": session.handout.n_done(),
        "of": len(session.handout.items),
        "mine": session.handout.n_judged(labeller),
        "sampler": session.now.sampler,
        "ranker": session.now.ranker,
        "highest_grade": session.store.highest_grade,
        "grade_names": session.store.grade_names,
        "last": None if last is None else last.id,
    }


def _phase(session: Session, labeller: str) -> str:
    if session.is_fitting:
        return "fitting"
    if session.failure is not None:
        return "failed"
    if not session.handout.items:
        return "finished"
    return "labelling" if session.handout.open_query(labeller) is not None else "waiting"


def _query(session: Session, item: int, query: int | None) -> JsonObject:
    shown = session.store.item(item)
    return {"qid": shown.qid, "fields": shown.query_fields, "place": query, "of": len(session.handout.queries)}


def _state(session: Session, item: int, labeller: str) -> JsonObject:
    held = session.held(item, labeller)
    return {
        "item": item,
        "grade": held and held.grade,
        "skipped": held is not None and held.skipped,
        "note": (held and held.note) or "",
    }


def _item(session: Session, item: int, labeller: str) -> JsonObject:
    shown = session.store.item(item)
    features = None if shown.fields else _features(session, item)
    return {**_state(session, item, labeller), "doc_id": shown.doc_id, "fields": shown.fields, "features": features}


def _features(session: Session, item: int) -> JsonObject:
    """The features that are not 0, by name or by number from 1, as LETOR files count them."""
    data = session.store.data
    row = data.X[[item]].toarray()[0] if data.is_sparse else data.X[item]
    columns = np.flatnonzero(row != 0)
    names = data.feature_names or [f"feature {number}" for number in range(1, data.n_features + 1)]
    return {
        "shown": [[names[c], "missing" if math.isnan(row[c]) else f"{row[c]:.6g}"] for c in columns[:MAX_FEATURES]],
        "more": max(int(columns.size) - MAX_FEATURES, 0),
        "zeros": int(row.size - columns.size),
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
