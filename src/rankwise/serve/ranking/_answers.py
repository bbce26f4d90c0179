"""What a body is answered with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np
import orjson

from rankwise.errors import DataError
from rankwise.rankers._features import MatchedColumns
from rankwise.serve.ranking._documents import Documents, shown
from rankwise.serve.ranking._model import ServedModel
from rankwise.serve.ranking._requests import read_object
from rankwise.types import FloatArray

TOP, MOST_TOP = 5, 100


def rank(body: bytes, is_arrow: bool, model: ServedModel, most: int) -> tuple[bytes, int]:
    """The order and the scores of the documents in a body, and how many there are."""
    documents = (model.arrow if is_arrow else model.json).read(body, most)
    scores = model.scores(documents.X)
    order = _order(scores)
    told = {
        "order": order if documents.ids is None else [documents.ids[row] for row in order],
        "scores": scores.tolist(),
        "model": model.described(),
    }
    return orjson.dumps(told), len(order)


def explain(body: bytes, model: ServedModel, most: int) -> bytes:
    """Why the best documents stand as they do: each against the next, or one named pair."""
    if not model.explains:
        raise DataError(f"a model of kind {model.features.kind} does not explain its scores; use /rank")
    told = read_object(body)
    documents = model.json.read_object(told, most, "top", "pair")
    order = _order(model.scores(documents.X))
    names: Sequence[str | int] = model.features.names or range(model.features.count)
    reasons = []
    for above, below in _pairs(told, documents, order):
        why = model.ranker.explain(MatchedColumns(documents.X), above, below)
        reasons.append(
            {
                "above": documents.id_of(above),
                "below": documents.id_of(below),
                "difference": why.difference,
                "parts": [asdict(part) for part in why.parts(names)],
            }
        )
    ranked = [documents.id_of(row) for row in order]
    return orjson.dumps({"order": ranked, "reasons": reasons, "model": model.described()})


def _order(scores: FloatArray) -> list[int]:
    """Rows from the best down; equal scores in the order of the request."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order


def _pairs(told: dict[str, Any], documents: Documents, order: list[int]) -> list[tuple[int, int]]:
    if "pair" not in told:
        top = told.get("top", TOP)
        if type(top) is not int or not 1 <= top <= MOST_TOP:
            raise DataError(f"top must be a whole number from 1 to {MOST_TOP}, got {shown(top)}; correct it")
        best = order[:top]
        return list(pairwise(best))
    pair = told["pair"]
    if "top" in told:
        raise DataError("the body has both top and pair; leave one of them out")
    if not isinstance(pair, list) or len(pair) != 2:
        raise DataError(f"pair must be a list of two documents, got {shown(pair)}; name them as the body does")
    ids = list(range(len(order))) if documents.ids is None else documents.ids
    for one in pair:
        if type(one) not in (str, int) or one not in ids:
            raise DataError(f"pair names the document {shown(one)}, which the body does not have; name one that it has")
    return [(ids.index(pair[0]), ids.index(pair[1]))]
