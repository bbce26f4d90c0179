"""The same numbers in every kind of array that a user may pass: what each public function does with them.

Every argument of every function is passed in every kind while the others are plain arrays. The answer must be that of
the plain float64 array, or one sentence of `rankwise.errors`; the caller's array must stay as it was.
`tests/contract/test_input_kinds.py` runs a part of it, `benchmarks/extreme_numbers.py` all of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
import torch

from rankwise.errors import RankwiseError

Convert = Callable[[Any], Any]


@dataclass(frozen=True)
class Kind:
    """How an array of small whole numbers is passed; `must_refuse` where no answer can be right."""

    name: str
    convert: Convert
    must_refuse: bool = False
    values: Convert | None = None  # what the converted array means, as float64, where that is not what was converted


def _read_only(a: Any) -> Any:
    a = a.copy()
    a.flags.writeable = False
    return a


def _strided(a: Any) -> Any:
    wide = np.full(tuple(2 * n for n in a.shape), 77.0)
    wide[tuple(slice(None, None, 2) for _ in a.shape)] = a
    return wide[tuple(slice(None, None, 2) for _ in a.shape)]


def _reversed(a: Any) -> Any:
    backwards = tuple(slice(None, None, -1) for _ in a.shape)
    return a[backwards].copy()[backwards]


def _one_masked(a: Any) -> Any:
    mask = np.zeros(a.shape, dtype=bool)
    mask.flat[1] = True
    return np.ma.masked_array(a, mask)


def _truth(a: Any) -> Any:
    return (a > np.median(a)).astype(np.float64)


def _cast(dtype: Any) -> Convert:
    return lambda a: a.astype(dtype)


def _beyond(a: Any) -> Any:
    return a.astype(np.int64) + 2**53 + 1  # odd ones are no doubles


VECTOR_KINDS = (
    *(Kind(name, _cast(name)) for name in ("float16", "float32", "longdouble", "int8", "int16", "int32", "int64")),
    *(Kind(name, _cast(name)) for name in ("uint8", "uint64", ">f8", ">f4", ">i4", "object")),
    Kind("bool", lambda a: _truth(a).astype(bool), values=_truth),
    Kind("read-only", _read_only),
    Kind("strided", _strided),
    Kind("reversed", _reversed),
    Kind("masked, nothing masked", lambda a: np.ma.masked_array(a.copy(), False)),
    Kind("masked", _one_masked, must_refuse=True),
    Kind("complex", lambda a: a + 1j, must_refuse=True),
    Kind("dates", lambda a: a.astype("datetime64[s]"), must_refuse=True),
    Kind("list", lambda a: a.tolist()),
    Kind("tuple", lambda a: tuple(a.tolist())),
    Kind("memoryview", lambda a: memoryview(a.copy())),
    Kind("torch", lambda a: torch.from_numpy(a.copy())),
    Kind("torch float16", lambda a: torch.from_numpy(a.copy()).half()),
    Kind("torch bfloat16", lambda a: torch.from_numpy(a.copy()).bfloat16()),
    Kind("torch requires_grad", lambda a: torch.from_numpy(a.copy()).requires_grad_()),
    Kind("torch sparse", lambda a: torch.from_numpy(a.copy()).to_sparse()),
    Kind("pandas Float64", lambda a: pd.array(a, dtype="Float64") if a.ndim == 1 else pd.DataFrame(a, dtype="Float64")),
)
ONE_DIMENSION = (
    Kind("matrix", lambda a: np.asmatrix(a)),
    Kind("sparse row", lambda a: sp.csr_array(a[None, :])),
    Kind("pandas Series", lambda a: pd.Series(a, index=np.arange(a.size)[::-1])),
    Kind("pandas Int64 with NA", lambda a: pd.array([*a[:-1].astype(int), pd.NA], dtype="Int64"), must_refuse=True),
    Kind("pandas category", lambda a: pd.Series(a).astype("category")),
    Kind("Arrow array", lambda a: pa.array(a)),
    Kind("Arrow array with null", lambda a: pa.array([*a[:-1].tolist(), None]), must_refuse=True),
    Kind("None in a list", lambda a: [*a[:-1].tolist(), None], must_refuse=True),
    Kind("ragged list", lambda a: [*a[:-1].tolist(), [1.0, 2.0]], must_refuse=True),
    Kind("too large for a double", lambda a: [*a[:-1].tolist(), 10**400], must_refuse=True),
)
NUMBERS_ONLY = (Kind("int64 beyond 2^53", _beyond, must_refuse=True),)
NO_NUMBERS = ("complex", "dates", "too large for a double")
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
TWO_DIMENSIONS = (
    Kind("Fortran", np.asfortranarray),
    *(Kind(f"sparse {f} array", lambda a, f=f: getattr(sp, f"{f}_array")(a)) for f in FORMATS),
    *(Kind(f"sparse {f} matrix", lambda a, f=f: getattr(sp, f"{f}_matrix")(a)) for f in FORMATS),
    Kind("sparse csr int8", lambda a: sp.csr_array(a).astype(np.int8)),
    Kind("sparse csr int64 indices", lambda a: _wide_indices(a)),
    Kind("sparse csr unsorted, repeated", lambda a: _repeated(a)),
    Kind("sparse csr read-only", lambda a: _read_only_sparse(a)),
    Kind("sparse complex", lambda a: sp.csr_array(a + 1j), must_refuse=True),
    Kind("pandas frame", pd.DataFrame),
    Kind("Arrow table", lambda a: pa.table({str(i): column for i, column in enumerate(a.T)})),
)


def _wide_indices(a: Any) -> Any:
    X = sp.csr_array(a)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def _repeated(a: Any) -> Any:
    """Each entry in two halves, columns from right to left, as CSR allows."""
    X = sp.csr_array(a[:, ::-1])
    indices = np.repeat(a.shape[1] - 1 - X.indices, 2)
    return sp.csr_array((np.repeat(X.data / 2, 2), indices, 2 * X.indptr), shape=a.shape)


def _read_only_sparse(a: Any) -> Any:
    X = sp.csr_array(a)
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


def content(value: Any) -> Any:
    """What a caller's object holds, to see whether a call changed it."""
    if sp.issparse(value):
        parts = [getattr(value, name, None) for name in ("data", "indices", "indptr", "row", "col", "offsets")]
        return [
            None if part is None else (part.tobytes() if part.dtype != object else repr(part)) for part in parts
        ] + [repr(value)]
    if isinstance(value, torch.Tensor):
        return repr(value)
    if isinstance(value, np.ndarray):
        mask = np.ma.getmaskarray(value).tobytes() if isinstance(value, np.ma.MaskedArray) else b""
        return (repr(value.tolist()), value.flags.writeable, value.dtype, mask)
    return repr(value)


def flat(result: Any) -> list[np.ndarray]:
    """The numbers of an answer."""
    if isinstance(result, torch.Tensor):
        return [result.detach().double().numpy()]
    if isinstance(result, dict):
        return [part for key in sorted(result) for part in flat(result[key])]
    if isinstance(result, tuple | list):
        return [part for entry in result for part in flat(entry)]
    if result is None or isinstance(result, str):
        return []
    if sp.issparse(result):
        return [result.toarray().astype(np.float64)]
    return [np.asarray(result, dtype=np.float64)]


def same(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two answers agree."""
    first, second = flat(a), flat(b)
    return len(first) == len(second) and all(
        x.shape == y.shape and np.allclose(x, y, rtol=tolerance, atol=tolerance, equal_nan=True)
        for x, y in zip(first, second, strict=True)
    )


@dataclass(frozen=True)
class Case:
    """A public function, and its arguments: "X" a matrix, "ids" query ids, anything else numbers per row."""

    name: str
    call: Callable[..., Any]
    arguments: dict[str, Any]
    tolerance: float = 0.0

    def kinds(self, argument: str) -> tuple[Kind, ...]:
        """What the argument may be passed as."""
        if np.ndim(self.arguments[argument]) == 2:
            return VECTOR_KINDS + TWO_DIMENSIONS
        if argument in ("qid", "doc_ids", "qid_valid", "qid_or_lengths"):  # which may be dates, or numbers of any size
            return tuple(kind for kind in VECTOR_KINDS + ONE_DIMENSION if kind.name not in NO_NUMBERS)
        return VECTOR_KINDS + ONE_DIMENSION + NUMBERS_ONLY


def outcome(case: Case, argument: str, kind: Kind) -> str:
    """ "right", "refused: …", or what is wrong."""
    plain = case.arguments[argument]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            passed = kind.convert(plain)
    except Exception as problem:
        return f"no such input: {type(problem).__name__} {problem}"
    before, meant = content(passed), plain if kind.values is None else kind.values(plain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        must_refuse = kind.must_refuse
        try:
            expected = None if must_refuse else case.call(**{**case.arguments, argument: meant})
        except RankwiseError:
            must_refuse = True
        try:
            answer = case.call(**{**case.arguments, argument: passed})
        except RankwiseError as problem:
            text = str(problem)
            said = "refused: " + text if text and "\n" not in text else "WRONG: not one sentence: " + text
            return said if content(passed) == before else "WRONG: changed the caller's array"
        except Exception as problem:
            return f"WRONG: raw {type(problem).__name__}: {problem}"
    if content(passed) != before:
        return "WRONG: changed the caller's array"
    if must_refuse:
        return "WRONG: accepted"
    return "right" if same(answer, expected, case.tolerance) else "WRONG: another answer"


def outcomes(cases: list[Case]) -> Iterator[tuple[str, str, str, str]]:
    """Case, argument, kind and what became of it."""
    for case in cases:
        for argument in case.arguments:
            for kind in case.kinds(argument):
                yield case.name, argument, kind.name, outcome(case, argument, kind)
