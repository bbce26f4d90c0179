"""What a body is answered with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np
from msgspec import UnsetType

from rankwise.errors import DataError
from rankwise.rankers._features import MatchedColumns
from rankwise.serve.ranking._documents import Documents, unknown_document
from rankwise.serve.ranking._model import ServedModel
from rankwise.serve.ranking._schemas import DEFAULT_TOP, ExplainAnswer, ExplainRequest, RankAnswer, Reason
from rankwise.types import FloatArray

encode = msgspec.json.Encoder().encode


def rank(body: bytes, is_arrow: bool, model: ServedModel, max_documents: int) -> tuple[bytes, int]:
    """The order and the scores of the documents in a body, and how many there are."""
    documents = (model.arrow if is_arrow else model.json).read(body, max_documents)
    scores = model.scores(documents.X)
    answer = RankAnswer(documents.names(_order(scores)), scores.tolist(), model.info)
    return encode(answer), len(scores)


def explain(body: bytes, model: ServedModel, max_documents: int) -> bytes:
    """Why the best documents stand as they do: each against the next, or one named pair."""
    if model.explain is None:
        raise DataError(f"a model of kind {model.features.kind} does not explain its scores; use /rank")
    request, documents = model.json.read_explain(body, max_documents)
    order = _order(model.scores(documents.X))
    features: Sequence[str | int] = model.features.names or range(model.features.count)
    reasons = []
    for pair in _pairs(request, documents, order):
        explanation = model.explain(MatchedColumns(documents.X), *pair)
        above, below = documents.names(pair)
        reasons.append(Reason(above, below, explanation.difference, explanation.parts(features)))
    return encode(ExplainAnswer(documents.names(order), reasons, model.info))


def _order(scores: FloatArray) -> list[int]:
    """Rows from the best down; equal scores in the order of the request."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order


def _pairs(request: ExplainRequest, documents: Documents, order: list[int]) -> list[tuple[int, int]]:
    if isinstance(request.pair, UnsetType):
        return list(pairwise(order[: DEFAULT_TOP if isinstance(request.top, UnsetType) else request.top]))
    if not isinstance(request.top, UnsetType):
        raise DataError("the body has both top and pair; leave one of them out")
    ids = documents.names(range(len(order)))
    for id in request.pair:
        if id not in ids:
            raise DataError(unknown_document(id))
    first, second = request.pair
    return [(ids.index(first), ids.index(second))]
