"""Record the versions that the claims were tested with just now, in this environment.

    python benchmarks/versions.py oldest|newest

`make test-oldest` and `make test-newest` call it once their tests have passed.
"""

from __future__ import annotations

import platform
import re
import sys
from datetime import UTC, datetime
from importlib.metadata import requires, version

from harness import write


def installed_versions() -> dict[str, str]:
    """By package its version, for the dependencies and all extras but `dev`, whose linters no test runs."""
    required = [line for line in requires("rankwise") or () if 'extra == "dev"' not in line]
    names = {match[0] for line in required if (match := re.match(r"[\w.-]+", line))}
    return {name: version(name) for name in sorted(names)}


if __name__ == "__main__":
    _, which = sys.argv
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    found = {"date": today, "python": platform.python_version(), "packages": installed_versions()}
    write(f"versions-{which}", found)
