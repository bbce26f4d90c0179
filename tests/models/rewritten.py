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


def write(path, manifest, members, extra=(), missing=()):
    """The file with checksums that fit; the manifest lists no `extra` members, but the `missing` ones."""
    if isinstance(manifest, dict):
        sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
        manifest = manifest | {"sha256": sums | dict.fromkeys(missing, "0" * 64)}
    head = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.comment = hashlib.sha256(head).hexdigest().encode()
        for name, data in [("manifest.json", head), *members.items(), *extra]:
            file.writestr(name, data)
    return path


def rewritten(path, change):
    """The file with its manifest changed."""
    manifest, members = read(path)
    return write(path, change(copy.deepcopy(manifest)), members)


def with_field(name, value):
    return lambda manifest: manifest | {name: value}


def with_parameter(name, value):
    return lambda manifest: manifest | {"parameters": manifest["parameters"] | {name: value}}


def with_summary(name, value):
    return lambda manifest: manifest | {"summary": manifest["summary"] | {name: value}}


def with_learned(name, value, *below):
    """What a ranker of pairs learned, changed at a place; a function of the old value, or a value."""

    def apply(manifest):
        inside = manifest["summary"]["learned"]
        for place in below:
            inside = inside[place]
        inside[name] = value(inside[name]) if callable(value) else value
        return manifest

    return apply


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
