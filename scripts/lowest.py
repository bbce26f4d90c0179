"""Print the lowest version of each package that pyproject.toml claims to work with, as constraints for pip.

`make test-oldest` installs them. A bound that pip cannot install, or with which a test fails, is false: raise it.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest_versions(pyproject: str) -> dict[str, str]:
    """The lower bound of each package, of the dependencies and of all extras but `dev`, whose linters no test runs."""
    project = tomllib.loads(pyproject)["project"]
    extras = [requirements for extra, requirements in project["optional-dependencies"].items() if extra != "dev"]
    lowest: dict[str, str] = {}
    for requirement in sum(extras, project["dependencies"]):
        match = re.match(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)", requirement)
        if match is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound; write name>=version")
        name, version = match.groups()
        if lowest.setdefault(name, version) != version:
            raise SystemExit(f"pyproject.toml: {name} has the bounds {lowest[name]} and {version}; make them one")
    return lowest


if __name__ == "__main__":
    for name, version in lowest_versions(PYPROJECT.read_text(encoding="utf-8")).items():
        print(f"{name}=={version}")
