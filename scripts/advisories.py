"""Known vulnerabilities of the versions in constraints.txt, where PyPI serves them for the newest version alone.

`make audit` calls it where pip-audit has failed: mirrors often have no page per version, which pip-audit needs. Ends
with 1 if a pinned version has a known vulnerability, and with 2 if none has but some could not be told.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"


def advisories(name: str, version: str) -> list[str] | None:
    """Ids of the vulnerabilities of a version; None if PyPI does not tell."""
    try:
        with urlopen(f"https://pypi.org/pypi/{name}/json", timeout=60) as answer:
            page = json.load(answer)
    except (URLError, TimeoutError, ValueError):
        return None
    if page["info"]["version"] != version:
        return None
    return [found["id"] for found in page["vulnerabilities"] if not found["withdrawn"]]


def main() -> int:
    """Print what is known, and what is not."""
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda pin: advisories(*pin), pins))
    vulnerable = [
        f"{name} {version}: {', '.join(ids)}" for (name, version), ids in zip(pins, found, strict=True) if ids
    ]
    untold = [f"{name} {version}" for (name, version), ids in zip(pins, found, strict=True) if ids is None]
    print(*vulnerable, sep="\n", end="\n" if vulnerable else "")
    print(f"{len(pins)} versions: {len(vulnerable)} with a known vulnerability, {len(untold)} not told by PyPI's pages")
    if untold:
        print(f"not told (not the newest version, or no answer): {', '.join(untold)}")
    return 1 if vulnerable else 2 if untold else 0


if __name__ == "__main__":
    sys.exit(main())
