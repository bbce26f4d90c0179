"""A zip file of a manifest and its members, written whole and read with suspicion.

Sizes are checked before anything is unpacked, names before anything is looked up, and checksums before anything is
understood. Nothing is ever extracted to disk, and no member is code.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
import zipfile
import zlib
from os import PathLike
from pathlib import Path

from rankwise.data._atomic import atomic_path
from rankwise.errors import ModelFileError
from rankwise.types import JsonObject

MANIFEST = "manifest.json"
MEMBER_NAME = re.compile(r"[a-z0-9_]{1,64}\.[a-z0-9]{1,16}")
MAX_MEMBERS = 20_000
MAX_MANIFEST_BYTES = 64 * 2**20
MAX_UNPACKED_RATIO = 200  # trees shrink to a third; a bomb by a thousand
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same model is the same file, byte for byte

# What zipfile raises on damaged files, by trial on many of them.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, OverflowError, RuntimeError, ValueError, KeyError
)  # fmt: skip


def write_archive(path: str | PathLike[str], manifest: JsonObject, members: dict[str, bytes]) -> None:
    """Write a manifest, with the checksums of the members added to it, and the members."""
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    head = json.dumps(manifest | {"sha256": sums}, indent=1, allow_nan=False, sort_keys=True).encode()
    # The sum of the manifest itself is the comment at the end of the file.
    comment = hashlib.sha256(head).hexdigest().encode()
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as file:
        file.comment = comment
        for name, data in {MANIFEST: head, **members}.items():
            entry = zipfile.ZipInfo(name, ZIP_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, data)


def read_manifest(path: str | PathLike[str]) -> JsonObject:
    """The manifest alone, its checksum verified."""
    return _read(path, with_members=False)[0]


def read_archive(path: str | PathLike[str]) -> tuple[JsonObject, dict[str, bytes]]:
    """The manifest and all members, their checksums verified."""
    return _read(path, with_members=True)


def _read(path: str | PathLike[str], *, with_members: bool) -> tuple[JsonObject, dict[str, bytes]]:
    if not Path(path).is_file():
        raise ModelFileError(f"there is no model file {path}; check the name and the folder you are in")
    try:
        with zipfile.ZipFile(path) as file:
            entries = _checked_entries(path, file)
            head = file.read(entries.pop(MANIFEST))
            if hashlib.sha256(head).hexdigest().encode() != file.comment:
                raise ModelFileError(f"{path} is damaged: its manifest is not what was saved; copy or save it again")
            manifest = _manifest(path, head, set(entries))
            members = {name: file.read(entry) for name, entry in entries.items()} if with_members else {}
    except ModelFileError:
        raise
    except DAMAGE as problem:
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise ModelFileError(f"{path} is not a whole model file ({reason}); copy or save it again") from None
    for name, data in members.items():
        if hashlib.sha256(data).hexdigest() != manifest["sha256"][name]:
            raise ModelFileError(f"{path} is damaged: {name} is not what was saved; copy or save it again")
    return manifest, members


def _checked_entries(path: str | PathLike[str], file: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Entries by name, if names and sizes are such as we write."""
    infos = file.infolist()
    if len(infos) > MAX_MEMBERS:
        raise ModelFileError(f"{path} has {len(infos)} members, which no model has; get it from another source")
    for info in infos:
        if not MEMBER_NAME.fullmatch(info.filename):
            raise ModelFileError(f"{path} has a member named {info.filename[:80]!r}; get it from another source")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 0x1:
            raise ModelFileError(f"{path} is packed or encrypted in a way that rankwise does not use; save it again")
    entries = {info.filename: info for info in infos}
    if len(entries) != len(infos):
        raise ModelFileError(f"{path} has two members of one name; get it from another source")
    unpacked = sum(info.file_size for info in infos)
    if unpacked > MAX_UNPACKED_RATIO * Path(path).stat().st_size:
        raise ModelFileError(f"{path} would unpack to {unpacked} bytes, far more than a model; do not trust it")
    if MANIFEST not in entries:
        raise ModelFileError(f"{path} has no {MANIFEST}, so it is not a model of rankwise; name another file")
    if entries[MANIFEST].file_size > MAX_MANIFEST_BYTES:
        raise ModelFileError(f"{path} has a manifest of {entries[MANIFEST].file_size} bytes; do not trust it")
    return entries


def _manifest(path: str | PathLike[str], head: bytes, names: set[str]) -> JsonObject:
    try:
        manifest = json.loads(head, parse_constant=_finite, parse_float=_finite)
        json.dumps(manifest, ensure_ascii=False).encode()  # fails on half a character, which no file could be given
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(f"{path} has a manifest that is not JSON ({problem}); save the model again") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("sha256"), dict):
        raise ModelFileError(f"{path} has a manifest without checksums; save the model again")
    listed = set(manifest["sha256"])
    if listed != names:
        odd = sorted(listed ^ names)
        raise ModelFileError(
            f"{path} has members that its manifest does not list, or lacks some: {odd[:3]}; save it again"
        )
    return manifest


def _finite(text: str) -> float:
    """A number of a manifest; JSON has no others, though Python reads and writes them."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number
