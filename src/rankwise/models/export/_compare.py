"""Is a written model the model? Scores and orders of both, side by side."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError
from rankwise.models.export._base import Format, Predict
from rankwise.models.export._scorer import Scorer
from rankwise.rankers._features import MatchedColumns
from rankwise.types import FloatArray

CELLS = 2**22  # of rows at once
SMALL = 64


@dataclass(frozen=True)
class Difference:
    """How two scores of each row differ.

    `rounding` is what rounding explains at the row of the largest difference; `beyond` counts rows that differ by more
    than it explains there. `orders_changed` counts pairs of documents of a query whose order is reversed. `left_out`
    counts rows whose score is too large for the precision of either side.
    """

    rows: int
    queries: int
    largest: float
    rounding: float
    beyond: int
    orders_changed: int
    left_out: int


@dataclass(frozen=True)
class Comparison:
    """A written model beside the one it was written from, on the data given and on rows made to find mistakes."""

    format: str
    offset: float  # what is added to the scores of the file for those of the model
    data: Difference | None
    probes: Difference

    @property
    def agrees(self) -> bool:
        """Whether no row differs by more than rounding."""
        return self.probes.beyond == 0 and (self.data is None or self.data.beyond == 0)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        told = asdict(self) | {"agrees": self.agrees}
        for one in (told["data"], told["probes"]):
            if one is not None and not np.isfinite(one["largest"]):
                one["largest"] = None  # the file gives no number
        return told


def compare_rows(model: Any, scorer: Scorer, to: Format, predict: Predict, X: Any, qid: Any) -> Difference:
    """Scores of the rows by the model and by the file."""
    ours = np.empty(X.shape[0])
    theirs, tolerance, sizes = ours.copy(), ours.copy(), ours.copy()
    step = max(CELLS // X.shape[1], 1)
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        part = X[rows]
        dense = np.ascontiguousarray(part.toarray() if hasattr(part, "toarray") else part, dtype=np.float32)
        _check_missing(to, scorer, dense, start)
        with np.errstate(all="ignore"):  # extremes overflow on either side
            ours[rows] = model.scores(MatchedColumns(part))
            theirs[rows] = predict(dense) + to.offset(scorer)
            sizes[rows] = scorer.magnitude(np.nan_to_num(dense, nan=0.0))
            unit = (2.0 * scorer.rounding + to.rounding) * (scorer.terms + 4)
            tolerance[rows] = unit * (sizes[rows] + abs(to.offset(scorer)))
    tolerance += scorer.terms * float(np.finfo(np.float32).tiny)
    fits = np.isfinite(ours) & (sizes <= min(to.largest, _largest(scorer)))
    # A score that is no number is a mistake wherever ours is one.
    with np.errstate(invalid="ignore"):
        apart = np.where(np.isfinite(theirs), np.abs(theirs - ours), np.inf)
    at = int(np.argmax(np.where(fits, apart, -1.0)))
    groups = QueryGroups.of_rows(None if qid is None else np.asarray(qid)[fits], int(fits.sum()))
    return Difference(
        rows=X.shape[0],
        queries=groups.n_queries,
        largest=float(apart[at]) if fits[at] else 0.0,
        rounding=float(tolerance[at]) if fits[at] else 0.0,
        beyond=int((apart > tolerance)[fits].sum()),
        orders_changed=orders_changed(ours[fits], theirs[fits], groups),
        left_out=int((~fits).sum()),
    )


def _largest(scorer: Scorer) -> float:
    """Sums of this size are too large for the model itself."""
    return float(np.finfo(np.float64 if scorer.rounding < 1e-10 else np.float32).max) / 4.0


def _check_missing(to: Format, scorer: Scorer, rows: NDArray[np.float32], start: int) -> None:
    if to.missing or not np.isnan(rows).any():
        return
    row, column = np.argwhere(np.isnan(rows))[0]
    raise DataError(
        f"{to.name} cannot express missing values, got one at row {start + row} of the feature "
        f"{scorer.names[column]!r}; check with rows that lack none, or export to onnx"
    )


def orders_changed(ours: FloatArray, theirs: FloatArray, groups: QueryGroups) -> int:
    """Pairs of rows of one query that one side puts in the opposite order of the other."""
    query = groups.query_of_row()
    order = np.lexsort((-theirs, -ours, query))
    query, theirs = query[order], theirs[order]
    risen = np.flatnonzero((np.diff(theirs) > 0) & (np.diff(query) == 0))
    total = 0
    for one in np.unique(query[risen]):  # in all other queries nothing changed
        low, high = np.searchsorted(query, [one, one + 1])
        total += _inversions(theirs[low:high])
    return total


def _inversions(values: FloatArray) -> int:
    """Pairs i < j with values[i] < values[j]."""
    if values.size <= SMALL:
        return int(np.triu(values[:, None] < values, 1).sum())
    first, second = np.split(values, [values.size // 2])
    across = np.searchsorted(np.sort(first), second, side="left").sum()
    return _inversions(first) + _inversions(second) + int(across)
