"""Documents by name as encoders of JSON write them: what is known to come is compared, and only the numbers are read.

There is a shape with and without ids, and with and without spaces after commas and colons; all features are there, in
the model's order. Other bodies are for the other readers in `_requests`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, product

import msgspec
import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._json_rows import OTHERWISE, PADDING, read_rows
from rankwise.serve.ranking._documents import Documents
from rankwise.serve.ranking._schemas import Id, ModelFeatures
from rankwise.types import IntArray

ENDS, BLANKS = (b"]}", b"] }"), b" \t\r\n"


@dataclass(frozen=True, eq=False)
class JsonShape:
    """What stands in a body around its numbers: before the first row, and in each row."""

    head: bytes
    pieces: NDArray[np.uint8]
    starts: IntArray
    has_ids: bool
    spaced: bool
    min_row_bytes: int

    def read(self, body: bytes, features: ModelFeatures, max_documents: int) -> Documents | None:
        """The documents of a body, None if it has another shape, or more of them."""
        n_rows = min(max_documents, len(body) // self.min_row_bytes)
        X, ends = np.empty((n_rows, features.count)), np.empty((n_rows if self.has_ids else 0, 2), dtype=np.int64)
        text = np.frombuffer(body + PADDING, dtype=np.uint8)
        n_rows, end = read_rows(
            text, len(self.head), self.pieces, self.starts, self.spaced, self.has_ids, features.takes_missing, X, ends
        )
        if n_rows == OTHERWISE or body[end:].rstrip(BLANKS) not in ENDS:
            return None
        if not self.has_ids:
            return Documents(X[:n_rows], None)
        try:
            ids: list[Id] = msgspec.json.decode(
                b"[%b]" % b",".join([body[low:high] for low, high in ends[:n_rows].tolist()])
            )
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return Documents(X[:n_rows], ids)


def json_shapes(features: ModelFeatures) -> list[JsonShape]:
    """The shapes of bodies by name for a model, none if its features have no names."""
    if features.names is None:
        return []
    return [_shape(features.names, has_ids, spaced) for has_ids, spaced in product((False, True), repeat=2)]


def _shape(names: list[str], has_ids: bool, spaced: bool) -> JsonShape:
    comma, colon = (b", ", b": ") if spaced else (b",", b":")
    keys = [msgspec.json.encode(name) + colon for name in names]
    first = b'"features"%b{%b' % (colon, keys[0])
    pieces = [b'{"id"' + colon, comma + first] if has_ids else [b"{" + first]
    pieces += [*(comma + key for key in keys[1:]), b"}}"]
    return JsonShape(
        head=b'{"documents"%b[' % colon,
        pieces=np.frombuffer(b"".join(pieces), dtype=np.uint8),
        starts=np.array([0, *accumulate(map(len, pieces))]),
        has_ids=has_ids,
        spaced=spaced,
        min_row_bytes=sum(map(len, pieces)) + len(pieces) - 1,
    )
