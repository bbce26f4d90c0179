"""Model files changed in what they mean, with checksums made right again: the damage that a checksum does not tell."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

ODD_NUMBERS = (
    -1, 0, 1, 2, 7, 10**5, 10**6, 10**7, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, 10**30, 10**400,
    -(2**63),
    0.5, -0.0, 1e-300, 5e-324, 1e-7, 1e38, 1e308, -1e308, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
ODD_VALUES = (
    None, True, False, "", "x", "\x00", "\ud800", "é" * 9, "a" * 10_000, "nan", "1e999", "ndcg@99999999999999999999",
    "../x",
    [], [[]], [[1], [1, 2]], [None], [0] * 50, ["a", "a"], {}, {"a": 1}, {"": {}}, "cuda", "auto", "trees", "net",
    "stumps",
)  # fmt: skip
ODD_WORDS = (
    "", "-1", "0", "1", "2", "-2", "3", "99", "-99", "-1000000", "2147483647", "-2147483648", "4294967295", "9" * 10,
    "9" * 40, "0" * 4000, "nan", "inf", "-inf", "1e308", "1e-320", "1e999", "0x10", "1_0", "٣", "1.5", "+1", " ",
    "true",
    "1e400", "-0", "1e", ".", "1.7976931348623157e308",
)  # fmt: skip
TREE_FIELDS = (
    "num_leaves num_cat split_feature split_gain threshold decision_type left_child right_child leaf_value leaf_weight "
    "leaf_count internal_value internal_weight internal_count is_linear shrinkage cat_boundaries cat_threshold "
    "leaf_const leaf_features leaf_coeff num_features tree_sizes feature_names feature_infos max_feature_idx num_class "
    "num_tree_per_iteration label_index version monotone_constraints objective average_output linear_tree"
).split()
MEMBER_NAMES = (
    "../a.txt",
    "/a",
    "a" * 300,
    "A.txt",
    "a.txt",
    "é.txt",
    "manifest.json",
    "bag_0.txt",
    "bag_99.txt",
    "",
    "a\\b",
)

Members = dict[str, bytes]


def read_parts(data: bytes) -> tuple[Any, Members]:
    """Manifest and members of a file."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    return json.loads(members.pop("manifest.json")), members


def write_parts(manifest: Any, members: Members, rng: random.Random, tricks: bool = False) -> bytes:
    """A file with checksums that fit; with tricks, one that its parts alone could not be."""
    if isinstance(manifest, dict):
        manifest = manifest | {"sha256": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}}
    text = json.dumps(manifest)
    if tricks and rng.random() < 0.3:
        text = _odd_json(text, rng)
    head = text.encode(errors="surrogatepass")
    file = io.BytesIO()
    packing = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)) if tricks else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", packing if rng.random() < 0.2 else zipfile.ZIP_STORED) as archive:
        archive.comment = hashlib.sha256(head).hexdigest().encode()
        for name, data in [("manifest.json", head), *members.items()]:
            archive.writestr(name or "x", data)
        if tricks and rng.random() < 0.3:
            archive.writestr(rng.choice(MEMBER_NAMES) or "x", rng.randbytes(20) * rng.choice((1, 1000)))
    return file.getvalue()


def _odd_json(text: str, rng: random.Random) -> str:
    """Text that is hardly JSON, or that is JSON in a way that nobody writes."""
    at = rng.randrange(len(text))
    return rng.choice(
        (
            text[:at],
            text[:at] + rng.choice('{}[]",:\\\x00é1-e.') + text[at + 1 :],
            "[" * 100_000,
            '{"a":' * 50_000,
            text[:-1] + ', "format": 2}',
            text[:-1] + ', "summary": {"rows": NaN}}',
            text.replace('"rows": ', '"rows": ' + "9" * 5000, 1),
            text.replace("0.", "0." + "1" * 5000, 1),
            "﻿" + text,
            " " * 100_000 + text,
        )
    )


def mutated(seed: bytes, rng: random.Random) -> tuple[bytes, str]:
    """A mutation of a sound file, and what was mutated."""
    kind = rng.choices(("manifest", "members", "both", "zip", "bytes"), (45, 35, 10, 5, 5))[0]
    if kind == "bytes":
        return _flipped(seed, rng), kind
    manifest, members = read_parts(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if kind in ("manifest", "both") or not members:
            manifest = _mutated_json(manifest, rng)
        if kind in ("members", "both") and members:
            name = rng.choice(sorted(members))
            members = members | {name: _mutated_member(name, members[name], rng)}
    if kind == "zip" and rng.random() < 0.4:
        members = _mutated_members(members, rng)
    return write_parts(manifest, members, rng, tricks=kind == "zip"), kind


def _flipped(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, cut or put in; most at the end, where a zip file has its names and sizes."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8))):
        at = (
            rng.randrange(len(changed))
            if rng.random() < 0.5
            else len(changed) - 1 - rng.randrange(min(400, len(changed)))
        )
        what = rng.randrange(3)
        if what == 0:
            changed[at] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        elif what == 1:
            changed[at:at] = rng.randbytes(rng.choice((1, 4, 100)))
        else:
            del changed[at : at + rng.choice((1, 4, 1000))]
        if not changed:
            break
    return bytes(changed)


# --- JSON ---


def _places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in it; of long lists some."""
    places = [above] if above else []
    if isinstance(value, dict):
        for name, below in value.items():
            places += _places(below, (*above, name))
    elif isinstance(value, list):
        for place in {0, 1, len(value) // 2, len(value) - 1} & set(range(len(value))):
            places += _places(value[place], (*above, place))
    return places


def _mutated_json(value: Any, rng: random.Random) -> Any:
    """A value of JSON with one place changed."""
    changed = copy.deepcopy(value)
    places = _places(changed)
    if not places:
        return rng.choice(ODD_VALUES)
    place = rng.choice(places)
    inside = changed
    for name in place[:-1]:
        inside = inside[name]
    what, old = rng.randrange(8), inside[place[-1]]
    if what == 0:
        del inside[place[-1]]
    elif what == 1:
        inside[place[-1]] = rng.choice(ODD_VALUES)
    elif what == 2 and isinstance(inside, dict):
        inside[rng.choice(("__class__", "x", "n_jobs", str(place[-1]) + "_"))] = old
    elif what == 3 and isinstance(old, list) and old:
        inside[place[-1]] = rng.choice((old[:-1], [*old, old[0]], old * 2, old[::-1], [*old, rng.choice(ODD_NUMBERS)]))
    elif what == 4:
        # A value of another place: of the right form, perhaps, and wrong.
        other = value
        for name in rng.choice(places):
            other = other[name]
        inside[place[-1]] = copy.deepcopy(other)
    elif what == 5 and isinstance(old, int | float) and not isinstance(old, bool) and abs(old) < 1e300:
        inside[place[-1]] = rng.choice((old + 1, old - 1, -old, old * 2, old / 3, int(old), float(old)))
    else:
        inside[place[-1]] = rng.choice(ODD_NUMBERS)
    return changed


# --- members ---


def _mutated_members(members: Members, rng: random.Random) -> Members:
    names = sorted(members)
    if not names or rng.random() < 0.3:
        return members | {rng.choice(MEMBER_NAMES): rng.randbytes(10)}
    name = rng.choice(names)
    if rng.random() < 0.5:
        return {other: data for other, data in members.items() if other != name}
    return members | {name: members[rng.choice(names)], rng.choice(MEMBER_NAMES): members[name]}


def _mutated_member(name: str, data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.03 or not data:
        return rng.choice((b"", b"\xff" * 50, data[: len(data) // 2], data * 2))
    if name.endswith(".safetensors"):
        return _mutated_tensors(data, rng)
    return _mutated_trees(data.decode(errors="replace"), rng).encode()


def _mutated_trees(text: str, rng: random.Random) -> str:
    """LightGBM's text with a field changed, and the sizes of its trees counted anew."""
    lines = text.split("\n")
    fields = [place for place, line in enumerate(lines) if "=" in line]
    what = rng.randrange(12)
    if not fields:
        return text + "x"
    at = rng.choice(fields)
    name, _, value = lines[at].partition("=")
    words = value.split(" ")
    place = rng.randrange(len(words))
    if what <= 4:
        words[place] = rng.choice(ODD_WORDS) if rng.random() < 0.5 else str(rng.randrange(-6, 8))
        lines[at] = f"{name}={' '.join(words)}"
    elif what == 5:
        lines[at] = f"{name}={' '.join(words[:-1] if rng.random() < 0.5 else [*words, words[0]])}"
    elif what == 6:
        del lines[at]
    elif what == 7:
        lines.insert(at, lines[rng.choice(fields)])
    elif what == 8:
        lines.insert(at, f"{rng.choice(TREE_FIELDS)}={rng.choice(ODD_WORDS)}")
    elif what == 9:
        lines[at] = f"{rng.choice(TREE_FIELDS)}={value}"
    elif what == 10:
        other = rng.choice(fields)
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines = (
            _as_categories(lines, rng) if rng.random() < 0.5 else _as_chain(lines, rng.choice((3, 40, 3000, 131_072)))
        )
    return _with_sizes("\n".join(lines))


def _set_field(lines: list[str], start: int, name: str, value: str) -> None:
    for at in range(start, len(lines)):
        if lines[at].startswith(f"{name}="):
            lines[at] = f"{name}={value}"
            return


def _as_categories(lines: list[str], rng: random.Random) -> list[str]:
    """The first split of a tree by a set of categories, whose words may be wrong."""
    starts = [at for at, line in enumerate(lines) if line.startswith("Tree=")]
    start = rng.choice(starts) if starts else 0
    lines = [*lines]
    changes: dict[str, Callable[[str], str]] = {
        "num_cat": lambda _: rng.choice(("1", "1", "2", "-1")),
        "decision_type": lambda old: " ".join(["1", *old.split(" ")[1:]]),
        "threshold": lambda old: " ".join([rng.choice(("0", "0", "1", "1e9", "-1")), *old.split(" ")[1:]]),
    }
    for at in range(start, len(lines)):
        name, _, value = lines[at].partition("=")
        if name in changes:
            lines[at] = f"{name}={changes.pop(name)(value)}"
        if name == "threshold":
            bounds = rng.choice(("0 1", "0 1", "0 2", "0 1000000", "1 2", "0 -1", "0 4294967297"))
            words = rng.choice(("1", "1 2", "4294967295", "4294967296", "-1", " ".join(["1"] * 1000)))
            lines[at + 1 : at + 1] = [f"cat_boundaries={bounds}", f"cat_threshold={words}"]
            break
    return lines


def _as_chain(lines: list[str], leaves: int) -> list[str]:
    """The first tree as one of this many leaves, each below the last: as deep as it can be."""
    splits, lines = leaves - 1, [*lines]
    values = {
        "num_leaves": str(leaves),
        "leaf_value": " ".join(["0.5"] * leaves),
        "leaf_weight": " ".join(["1"] * leaves),
        "leaf_count": " ".join(["1"] * leaves),
        "left_child": " ".join(str(-place - 1) for place in range(splits)),
        "right_child": " ".join([*(str(place + 1) for place in range(splits - 1)), str(-leaves)]),
        "threshold": " ".join(str(place) for place in range(splits)),
        "split_feature": " ".join(["0"] * splits),
        "decision_type": " ".join(["2"] * splits),
    }
    values |= dict.fromkeys(
        ("split_gain", "internal_value", "internal_weight", "internal_count"), " ".join(["1"] * splits)
    )
    start = next((at for at, line in enumerate(lines) if line.startswith("Tree=")), 0)
    for name, value in values.items():
        _set_field(lines, start, name, value)
    return lines


def _with_sizes(text: str) -> str:
    """The text with sizes of trees that fit."""
    body, _, _ = text.partition("end of trees")
    pieces = [f"Tree={piece}" for piece in body.split("\nTree=")[1:]]
    sizes = " ".join(str(len(piece.encode()) + (number + 1 < len(pieces))) for number, piece in enumerate(pieces))
    return re.sub(r"tree_sizes=.*", f"tree_sizes={sizes}", text, count=1)


def _mutated_tensors(data: bytes, rng: random.Random) -> bytes:
    """A safetensors member whose header, shapes, types or numbers are others."""
    (size,) = struct.unpack("<Q", data[:8].ljust(8))
    try:
        header, numbers = json.loads(data[8 : 8 + size]), bytearray(data[8 + size :])
        tensors = [name for name in header if name != "__metadata__"]
    except (ValueError, TypeError):  # it was changed before
        return _flipped(data, rng)
    what = rng.randrange(4)
    if what == 0 and len(numbers) >= 4:
        at = rng.randrange(0, len(numbers) // 4) * 4
        numbers[at : at + 4] = struct.pack("<f", rng.choice((float("nan"), float("inf"), 3e38, -3e38, 0.0, 1e-45)))
    elif what == 1:
        del numbers[rng.randrange(len(numbers) + 1) :]
    elif what == 2:
        header = _mutated_json(header, rng)
    elif tensors and isinstance(entry := header[rng.choice(tensors)], dict) and isinstance(entry.get("shape"), list):
        field = rng.choice(("dtype", "shape", "data_offsets"))
        entry[field] = {
            "dtype": lambda: rng.choice(("F64", "F32", "F16", "BF16", "I8", "U64", "BOOL", "F8_E4M3", "C64", "x")),
            "shape": lambda: rng.choice(([], [0], [2**63], [2**32, 2**32], [-1], [1] * 100, entry["shape"][::-1])),
            "data_offsets": lambda: rng.choice(([0, 0], [0, 2**63], [8, 0], [0, len(numbers)], [0, 4])),
        }[field]()
    head = json.dumps(header).encode()
    length = len(head) if rng.random() < 0.95 else rng.choice((0, 2**63, 2**64 - 1, 10**6))
    return struct.pack("<Q", length) + head + bytes(numbers)
