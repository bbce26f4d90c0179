"""`rankwise explain`: why a model ranks the documents of a query as it does."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from rankwise.cli import _options as options
from rankwise.cli._options import option
from rankwise.cli._output import print_json, print_table, working
from rankwise.cli.support._models import feature_labels, load_model, row_scores
from rankwise.cli.support._reading import ReadOptions, read_features, reads_data
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import RankingData
    from rankwise.rankers._explanation import Contribution


@dataclass(frozen=True)
class RankedDocument:
    """A document at its rank; `row` is its place in the data, from 1."""

    rank: int
    document: str
    row: int
    label: float
    score: float


@dataclass(frozen=True)
class PairReason:
    """Why the document at rank `above` is over the one at rank `below`: parts add up to `difference`."""

    above: int
    below: int
    difference: float
    parts: list[Contribution]


@reads_data
def explain(
    model: options.ModelFile,
    data: options.DataFiles,
    query: Annotated[str, option("--query", "The query.", "QID")],
    top: Annotated[int, option("--top", "How many documents, from the best on.", min=1)] = 5,
    features: Annotated[int, option("--features", "How many features of each pair; --json has all.", min=1)] = 3,
    json: options.JsonOption = False,
    *,
    reading: ReadOptions,
) -> None:
    """Show the ranking of a query, and which features put each document above the next one.

    Example: rankwise explain m.rw test.txt --query 12 --top 3 --features 10
    """
    loaded = load_model(model)
    if not hasattr(loaded, "explain"):
        raise DataError(f"explain is for models that rank, got one of kind {loaded.kind}; name another model")
    rows = read_features(data, reading)
    with working("explaining"):
        ranked = _rank_query(loaded, rows, query)[:top]
        reasons = _explain_ranking(loaded, rows, ranked)
    if json:
        print_json(
            {
                "query": query,
                "ranking": [vars(document) for document in ranked],
                "reasons": [asdict(reason) for reason in reasons],
            }
        )
    else:
        _print(ranked, reasons, features)


def _rank_query(model: Any, data: RankingData, query: str) -> list[RankedDocument]:
    """All documents of a query, best first; equal scores as in the data."""
    import numpy as np

    qids = [str(qid) for qid in data.groups.qids.tolist()]
    if query not in qids:
        some = ", ".join(qids[:3])
        raise DataError(f"there is no query {query!r} in the data, its first are {some}; name one that it has")
    rows = np.flatnonzero(data.groups.query_of_row() == qids.index(query))
    scores = row_scores(model, data.rows(rows))
    ids = data.doc_ids
    return [
        RankedDocument(
            rank=rank,
            document=f"row {rows[k] + 1}" if ids is None else str(ids[rows[k]]),
            row=int(rows[k]) + 1,
            label=float(data.y[rows[k]]),
            score=float(scores[k]),
        )
        for rank, k in enumerate(np.argsort(-scores, kind="stable"), start=1)
    ]


def _explain_ranking(model: Any, data: RankingData, ranked: list[RankedDocument]) -> list[PairReason]:
    """For each two neighbours, the features that matter, those that add or take most first."""
    import numpy as np

    rows = data.rows(np.array([document.row - 1 for document in ranked]))
    names, reasons = feature_labels(model), []
    for k, (upper, lower) in enumerate(pairwise(ranked)):
        explanation = model.explain(rows, k, k + 1)
        reasons.append(PairReason(upper.rank, lower.rank, explanation.difference, explanation.parts(names)))
    return reasons


def _print(ranked: list[RankedDocument], reasons: list[PairReason], n_features: int) -> None:
    print_table(
        ("rank", "document", "label", "score"),
        [(str(row.rank), row.document, f"{row.label:g}", f"{row.score:.4f}") for row in ranked],
    )
    if not reasons:
        return
    print()
    lines: list[tuple[str, str, str, str]] = []
    for reason in reasons:
        shown = reason.parts[:n_features]
        others = f"{reason.difference - sum(part.adds for part in shown):+.4f}"
        place = "over" if reason.difference > 0 else "level with"
        lines += [
            (f"{reason.above} {place} {reason.below}", "all", "", f"{reason.difference:+.4f}"),
            *(
                ("", str(part.feature), f"{_text(part.above)} : {_text(part.below)}", f"{part.adds:+.4f}")
                for part in shown
            ),
            *([("", "all others", "", others)] if len(reason.parts) > n_features else []),
        ]
    print_table(("rank", "feature", "values", "adds to the score"), lines)


def _text(value: float | str | None) -> str:
    return "missing" if value is None else value if isinstance(value, str) else f"{value:.6g}"
