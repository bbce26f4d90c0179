"""Print the lowest version of each package that pyproject.toml claims to work with, as constraints for pip.

`make test-oldest` and `make test-matrix` install them. A bound that pip cannot install, or with which a test fails, is
false: raise it.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUND = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)(?:; python_version (<|>=) '3\.(\d+)')?")


def lowest_versions(pyproject: str, minor: int = sys.version_info.minor) -> dict[str, str]:
    """Lower bounds by Python 3.`minor`, of the dependencies and of all extras but `dev`, whose linters no test runs."""
    project = tomllib.loads(pyproject)["project"]
    extras = [requirements for extra, requirements in project["optional-dependencies"].items() if extra != "dev"]
    lowest: dict[str, str] = {}
    for requirement in sum(extras, project["dependencies"]):
        if requirement.startswith(f"{project['name']}["):
            continue  # another extra, whose bounds are here by themselves
        match = BOUND.fullmatch(requirement)
        if match is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound; write name>=version")
        name, version, side, limit = match.groups()
        if side and (minor < int(limit)) != (side == "<"):
            continue  # the bound of another Python
        if lowest.setdefault(name, version) != version:
            raise SystemExit(f"pyproject.toml: {name} has the bounds {lowest[name]} and {version}; make them one")
    return lowest


if __name__ == "__main__":
    for name, version in lowest_versions(PYPROJECT.read_text(encoding="utf-8")).items():
        print(f"{name}=={version}")
