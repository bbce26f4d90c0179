"""Documents as encoders of JSON write them: what is known to come is compared, and only the numbers are read.

There is a shape for lists, one by name, and one by name with ids, each with and without spaces after commas and colons;
all features are there, in the model's order. Other bodies are for the other readers in `_requests`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import msgspec
import numpy as np
from numpy.typing import NDArray

from rankwise.kernels._json_rows import OTHERWISE, PADDING, read_rows
from rankwise.serve.ranking._documents import Documents
from rankwise.serve.ranking._schemas import Id, ModelFeatures
from rankwise.types import IntArray

ENDS, BLANKS = (b"]}", b"] }"), b" \t\r\n"


class Ids(msgspec.Struct, forbid_unknown_fields=True):
    """What may follow lists of features."""

    ids: list[Id]


IDS = msgspec.json.Decoder(Ids)


@dataclass(frozen=True, eq=False)
class JsonShape:
    """What stands in a body around its numbers: before the first row, and in each row."""

    head: bytes
    pieces: NDArray[np.uint8]
    starts: IntArray
    has_ids: bool
    ids_follow: bool  # in a list of their own, or none
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
        tail = body[end:].rstrip(BLANKS)
        if n_rows == OTHERWISE or not (tail in ENDS or (tail.startswith(b"],") and self.ids_follow)):
            return None
        ids: list[Id] | None = None
        try:
            if self.has_ids:
                ids = msgspec.json.decode(b"[%b]" % b",".join([body[low:high] for low, high in ends[:n_rows].tolist()]))
            elif tail not in ENDS:
                ids = IDS.decode(b"{%b" % tail[2:]).ids
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return None if ids is not None and len(ids) != n_rows else Documents(X[:n_rows], ids)


def json_shapes(features: ModelFeatures) -> list[JsonShape]:
    """The shapes of bodies for a model; none by name if its features have no names."""
    shapes = []
    for comma, colon in ((b",", b":"), (b", ", b": ")):
        head = b'{"features"%b[' % colon
        shapes.append(_shape(head, [b"[", *[comma] * (features.count - 1), b"]"], comma, ids_follow=True))
        if features.names is not None:
            head = b'{"documents"%b[' % colon
            keys = [msgspec.json.encode(name) + colon for name in features.names]
            first = b'"features"%b{%b' % (colon, keys[0])
            rest = [*(comma + key for key in keys[1:]), b"}}"]
            shapes.append(_shape(head, [b"{" + first, *rest], comma))
            shapes.append(_shape(head, [b'{"id"' + colon, comma + first, *rest], comma, has_ids=True))
    return shapes


def _shape(
    head: bytes, pieces: list[bytes], comma: bytes, *, has_ids: bool = False, ids_follow: bool = False
) -> JsonShape:
    return JsonShape(
        head=head,
        pieces=np.frombuffer(b"".join([*pieces, PADDING]), dtype=np.uint8),
        starts=np.array([0, *accumulate(map(len, pieces))]),
        has_ids=has_ids,
        ids_follow=ids_follow,
        spaced=comma != b",",
        min_row_bytes=sum(map(len, pieces)) + len(pieces) - 1,
    )
