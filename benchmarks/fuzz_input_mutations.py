"""Files of every format that is read: sound ones by a grammar, mutated in their words, lines and bytes, and bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
from collections.abc import Callable

import pyarrow as pa
from pyarrow import feather, parquet

ODD_WORDS = (
    "", "-1", "0", "1", "2.5", "nan", "inf", "-inf", "1e400", "1e-400", "9" * 19, "9" * 30, "9" * 5000, "-" + "9" * 19,
    "18446744073709551616", "9223372036854775807", "4294967295", "2147483648", "0x1", "1_000", "٣", "é", "\x00",
    "\ud7ff", "a" * 200,
    "a" * 200_000, ":", "::", "1:", ":1", "1:1:1", "qid:", "qid:-1", "qid:x", "qid:" + "9" * 19, "1:nan", "1:1e39",
    "1:inf",
    "2147483647:1", "10000001:1", "9999999:1", "0:1", "-1:1", "#", "# docid", '"', '""', '"a', ",", "\t", "Q0", "+1",
    "1e5", "true", "None",
)  # fmt: skip
LINE_ENDS = ("\n", "\n", "\n", "\r\n", "\r", "\x0b", "\x85", "\u2028", "")
METRICS = (
    "ndcg@10", "map", "auc", "mrr", "err@5", "p@5", "r@p=0.9", "pauc[0,0.1]", "0.7*ndcg@10 + 0.3*auc", "f1", "wta",
    "mauc",
)  # fmt: skip


def letor(rng: random.Random) -> str:
    """LETOR text."""
    lines = []
    for query in range(rng.randrange(1, 5)):
        for document in range(rng.randrange(1, 6)):
            features = " ".join(f"{k}:{rng.uniform(-1, 1):.4g}" for k in range(1, 5) if rng.random() < 0.9)
            lines.append(f"{rng.randrange(3)} qid:{query + 1} {features} # d{query}-{document}")
    return "\n".join(lines) + "\n"


def lightgbm(rng: random.Random) -> str:
    """LightGBM's text: no queries, features from 0."""
    lines = [f"{rng.randrange(3)} " + " ".join(f"{k}:{rng.random():.3f}" for k in range(4)) for _ in range(8)]
    return "\n".join(lines) + "\n"


def query_sizes(rng: random.Random) -> str:
    """Sizes of queries that add up to eight."""
    return "\n".join(rng.choice((["8"], ["4", "4"], ["1"] * 8, ["3", "5"]))) + "\n"


def table(rng: random.Random, delimiter: str = ",") -> str:
    """CSV with a label, a query, a document id, numbers and a category."""
    rows = [["label", "qid", "doc_id", "a", "b c", "kind"]]
    rows += [
        [str(rng.randrange(3)), f"q{row // 4}", f"d{row}", f"{rng.random():.3f}", "", rng.choice("xyz")]
        for row in range(12)
    ]
    return "\n".join(delimiter.join(row) for row in rows) + "\n"


def qrels(rng: random.Random) -> str:
    return "".join(f"q{row // 4} 0 d{row} {rng.randrange(3)}\n" for row in range(12))


def trec_run(rng: random.Random) -> str:
    return "".join(f"q{row // 4} Q0 d{row} {row % 4 + 1} {rng.uniform(-2, 2):.4f} tag\n" for row in range(12))


def scores(rng: random.Random) -> str:
    """As many scores as there are rows of the data that they are read for."""
    form = rng.randrange(3)
    numbers = [f"{rng.uniform(-1, 1):.5f}" for _ in range(12)]
    return (
        "\n".join(
            numbers if form == 0 else ["score", *numbers] if form == 1 else ["id,score", *("d," + n for n in numbers)]
        )
        + "\n"
    )


def texts(rng: random.Random) -> str:
    """Lines of JSON about documents and queries."""
    lines = [{"doc_id": f"d{row}", "title": "Rain", "text": rng.choice(("It rains.", "é", ""))} for row in range(12)]
    return "".join(json.dumps(line) + "\n" for line in [*lines, {"qid": "q1", "text": "weather"}])


def arrow_table(rng: random.Random) -> pa.Table:
    """A table of the columns of `table`, some of types that are odd for them."""
    n, kinds = (
        12,
        [pa.float64(), pa.float32(), pa.int64(), pa.int8(), pa.uint64(), pa.string(), pa.bool_(), pa.decimal128(20, 3)],
    )

    def column(values: list[object], usual: pa.DataType) -> pa.Array:
        kind = (
            usual
            if rng.random() < 0.85
            else rng.choice([*kinds, pa.timestamp("us"), pa.list_(pa.int32()), pa.null(), pa.binary()])
        )
        try:
            made = pa.array(values).cast(kind)
        except (pa.ArrowException, TypeError, ValueError):
            made = pa.nulls(n, kind)
        is_plain = not pa.types.is_nested(kind) and made.null_count == 0
        return made.dictionary_encode() if rng.random() < 0.1 and is_plain else made

    odd = rng.random() < 0.2
    return pa.table(
        {
            "label": column([rng.choice((0, 2**62, -1, 1) if odd else (0, 1, 2)) for _ in range(n)], pa.int64()),
            "qid": column([row // 4 for row in range(n)], pa.int64()),
            "doc_id": column([f"d{row}" for row in range(n)], pa.string()),
            "a": column([rng.random() for _ in range(n)], pa.float32()),
            rng.choice(("kind", "kind", "é", "", "label")) : column([rng.choice("xyz") for _ in range(n)], pa.string()),
        }
        if rng.random() < 0.9
        else {"label": column([1] * n, pa.int64())}
    )  # fmt: skip


def parquet_bytes(rng: random.Random) -> bytes:
    file = io.BytesIO()
    parquet.write_table(arrow_table(rng), file, compression=rng.choice(("snappy", "zstd", "gzip", "none")))
    return file.getvalue()


def arrow_bytes(rng: random.Random) -> bytes:
    """An Arrow file, which is no format that is read: it must be refused as such."""
    file = io.BytesIO()
    feather.write_feather(arrow_table(rng), file)
    return file.getvalue()


def mutated_text(text: str, rng: random.Random) -> bytes:
    """Words, lines and line ends changed; now and then bytes."""
    if rng.random() < 0.08:
        return mutated_bytes(text.encode(), rng)
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(lines))
        words = lines[at].split(" ") if " " in lines[at] else lines[at].split(",")
        glue = " " if " " in lines[at] else ","
        place, what = rng.randrange(len(words)), rng.randrange(9)
        if what <= 3:
            words[place] = rng.choice(ODD_WORDS)
        elif what == 4:
            del words[place]
        elif what == 5:
            words.insert(place, rng.choice([*ODD_WORDS, words[place]]))
        elif what == 6:
            words[place] = words[place][: len(words[place]) // 2] + rng.choice(ODD_WORDS)
        lines[at] = glue.join(words)
        if what == 7:
            lines.insert(at, lines[rng.randrange(len(lines))])
        elif what == 8:
            del lines[at]
            if not lines:
                lines = [""]
    end = rng.choice(LINE_ENDS) if rng.random() < 0.15 else "\n"
    encoding = rng.choice(("utf-16", "latin-1", "utf-8-sig")) if rng.random() < 0.05 else "utf-8"
    return end.join(lines).encode(encoding, errors="replace")


def mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut off, doubled or put in."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8))):
        if not changed:
            break
        at = rng.randrange(len(changed)) if rng.random() < 0.6 else max(0, len(changed) - 1 - rng.randrange(200))
        what = rng.randrange(4)
        if what == 0:
            changed[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            changed[at] = rng.choice((0, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        elif what == 2:
            del changed[at : at + rng.choice((1, 4, 100, 10_000))]
        else:
            changed[at:at] = rng.choice((rng.randbytes(4), b"\x00" * 100, bytes(changed[:50])))
    return bytes(changed)


def zstd(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, 1),
    ".bz2": lambda data: bz2.compress(data, 1),
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".zst": zstd,
}


def packed(data: bytes, rng: random.Random) -> tuple[bytes, str]:
    """The data packed and perhaps damaged, with the ending of the packing, which may be another's."""
    ending = rng.choice([*PACKERS])
    archive = PACKERS[ending](data)
    if rng.random() < 0.6:
        archive = mutated_bytes(archive, rng)
    return archive, rng.choice([*PACKERS]) if rng.random() < 0.1 else ending


def bombs() -> dict[str, bytes]:
    """Files below a megabyte that would unpack to far more."""
    zeros, rows, long_row = bytes(400 << 20), b"0 qid:1 1:1\n" * (25 << 20), b"1 qid:1 " + b" " * (300 << 20)
    file = io.BytesIO()
    column = pa.array([1.0]).take(pa.array([0] * 1_000_000))
    writer = None
    for _ in range(60):
        one = pa.table({"label": column, "a": column, "b": column})
        writer = writer or parquet.ParquetWriter(file, one.schema, compression="zstd")
        writer.write_table(one)
    assert writer is not None
    writer.close()
    made = {"zeros.txt.gz": gzip.compress(zeros, 9), "rows.txt.gz": gzip.compress(rows, 9)}
    made |= {"long.txt.zst": zstd(long_row), "rows.csv.zst": zstd(b"label,a\n" + b"1,2\n" * (60 << 20))}
    made |= {"zeros.txt.xz": lzma.compress(zeros, preset=0), "rows.txt.bz2": bz2.compress(rows[: 100 << 20])}
    return made | {"rows.parquet": file.getvalue()}
