"""Model files taken apart and put together again, with checksums that are right, and odd values to put in them."""

from __future__ import annotations

import copy
import hashlib
import json
import zipfile


def read(path):
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    return json.loads(members.pop("manifest.json")), members


def write(path, manifest, members):
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    head = json.dumps(manifest | {"sha256": sums}).encode()
    with zipfile.ZipFile(path, "w") as file:
        file.comment = hashlib.sha256(head).hexdigest().encode()
        for name, data in [("manifest.json", head), *members.items()]:
            file.writestr(name, data)
    return path


def places(value, above=()):
    """Where something stands in plain values; of long lists the first entry and the last."""
    yield above
    if isinstance(value, dict):
        items = list(value.items())
    else:
        items = list(enumerate(value)) if isinstance(value, list) else []
        items = items[:1] + items[1:][-1:]
    for name, below in items:
        yield from places(below, (*above, name))


ODD = [None, True, -1, 0, 10**12, 10**400, float("nan"), float("inf"), 1e308, "", "x", [], [[1], [1, 2]], {}, {"a": 1}]
GONE = object()


def changed(manifest, place, value):
    manifest = copy.deepcopy(manifest)
    inside = manifest
    for name in place[:-1]:
        inside = inside[name]
    if value is GONE:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    return manifest
