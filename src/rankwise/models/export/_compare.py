"""Is a written model the model? Scores and orders of both, side by side."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rankwise.data._groups import QueryGroups
from rankwise.errors import DataError
from rankwise.models.export._base import Format, Predict
from rankwise.rankers._base import SavableModel
from rankwise.rankers._features import MatchedColumns
from rankwise.rankers._score_functions._functions import ScoreFunction
from rankwise.types import AnyArray, FloatArray, JsonObject

CELLS_PER_BLOCK = 2**22
SMALL_QUERY = 64  # rows whose pairs are counted one by one


@dataclass(frozen=True)
class ScoreDifference:
    """How two scores of each row differ.

    Parameters
    ----------
    rows : int
        Rows that were scored.
    queries : int
        Their queries.
    largest : float
        The largest difference of two scores.
    rounding : float
        What rounding explains at the row of the largest difference.
    beyond : int
        Rows that differ by more than rounding explains.
    orders_changed : int
        Pairs of documents of a query whose order is reversed.
    left_out : int
        Rows whose score is too large for the precision of either side.
    """

    rows: int
    queries: int
    largest: float
    rounding: float
    beyond: int
    orders_changed: int
    left_out: int


@dataclass(frozen=True)
class ExportComparison:
    """A written model beside the one it was written from, on the data passed and on rows made to find mistakes.

    Parameters
    ----------
    format : str
        Name of the format.
    offset : float
        What must be added to the scores of the file for those of the model.
    data : ScoreDifference or None
        The differences on the data; None if none were passed.
    probes : ScoreDifference
        The differences on rows made to find mistakes.
    """

    format: str
    offset: float
    data: ScoreDifference | None
    probes: ScoreDifference

    @property
    def agrees(self) -> bool:
        """Whether no row differs by more than rounding."""
        return self.probes.beyond == 0 and (self.data is None or self.data.beyond == 0)

    def to_dict(self) -> JsonObject:
        """All of it in plain Python types.

        Returns
        -------
        dict
            What `json.dumps` takes.
        """
        fields = asdict(self) | {"agrees": self.agrees}
        for difference in (fields["data"], fields["probes"]):
            if difference is not None and not np.isfinite(difference["largest"]):
                difference["largest"] = None  # the file gives no number
        return fields


def compare_rows(
    model: SavableModel,
    function: ScoreFunction,
    to: Format,
    predict: Predict,
    X: AnyArray | sp.csr_matrix,
    qid: AnyArray | None,
) -> ScoreDifference:
    """Scores of the rows by the model and by the file."""
    ours = np.empty(X.shape[0])
    theirs, tolerance, sizes = ours.copy(), ours.copy(), ours.copy()
    step = max(CELLS_PER_BLOCK // X.shape[1], 1)
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        block = X[rows]
        dense = np.ascontiguousarray(block.toarray() if sp.issparse(block) else block, dtype=np.float32)
        _check_missing(to, function, dense, start)
        with np.errstate(all="ignore"):  # extremes overflow on either side
            ours[rows] = model.scores(MatchedColumns(block))  # type: ignore[arg-type]
            theirs[rows] = predict(dense) + to.offset(function)
            sizes[rows] = function.magnitude(np.nan_to_num(dense, nan=0.0))
            unit = (2.0 * function.rounding + to.rounding) * (function.terms + 4)
            tolerance[rows] = unit * (sizes[rows] + abs(to.offset(function)))
    tolerance += function.terms * float(np.finfo(np.float32).tiny)
    fits = np.isfinite(ours) & (sizes <= min(to.largest, _largest(function)))
    # A score that is no number is a mistake wherever ours is one.
    with np.errstate(invalid="ignore"):
        apart = np.where(np.isfinite(theirs), np.abs(theirs - ours), np.inf)
    at = int(np.argmax(np.where(fits, apart, -1.0)))
    groups = QueryGroups.of_rows(None if qid is None else qid[fits], int(fits.sum()))
    return ScoreDifference(
        rows=X.shape[0],
        queries=groups.n_queries,
        largest=float(apart[at]) if fits[at] else 0.0,
        rounding=float(tolerance[at]) if fits[at] else 0.0,
        beyond=int((apart > tolerance)[fits].sum()),
        orders_changed=orders_changed(ours[fits], theirs[fits], groups),
        left_out=int((~fits).sum()),
    )


def _largest(function: ScoreFunction) -> float:
    """Sums of this size are too large for the model itself."""
    return float(np.finfo(np.float64 if function.rounding < 1e-10 else np.float32).max) / 4.0


def _check_missing(to: Format, function: ScoreFunction, rows: NDArray[np.float32], start: int) -> None:
    if to.missing or not np.isnan(rows).any():
        return
    row, column = np.argwhere(np.isnan(rows))[0]
    raise DataError(
        f"{to.name} cannot express missing values, got one at row {start + row} of the feature "
        f"{function.names[column]!r}; check with rows that lack none, or export to onnx"
    )


def orders_changed(ours: FloatArray, theirs: FloatArray, groups: QueryGroups) -> int:
    """Pairs of rows of one query that one side puts in the opposite order of the other."""
    query = groups.query_of_row()
    order = np.lexsort((-theirs, -ours, query))
    query, theirs = query[order], theirs[order]
    risen = np.flatnonzero((np.diff(theirs) > 0) & (np.diff(query) == 0))
    total = 0
    for changed in np.unique(query[risen]):  # in all other queries nothing changed
        low, high = np.searchsorted(query, [changed, changed + 1])
        total += _inversions(theirs[low:high])
    return total


def _inversions(values: FloatArray) -> int:
    """Pairs i < j with values[i] < values[j]."""
    if values.size <= SMALL_QUERY:
        return int(np.triu(values[:, None] < values, 1).sum())
    first, second = np.split(values, [values.size // 2])
    across = np.searchsorted(np.sort(first), second, side="left").sum()
    return _inversions(first) + _inversions(second) + int(across)
