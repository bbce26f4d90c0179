"""Tables in README and docs that tests make: between `<!-- made: NAME -->` and `<!-- end -->`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def table_in(document: str, name: str) -> str:
    found = re.search(rf"<!-- made: {name} -->\n(.*?)\n<!-- end -->", (ROOT / document).read_text(), re.DOTALL)
    assert found is not None, f"{document} has no table {name!r}"
    return found[1].strip()


def check_table(document: str, name: str, expected: str) -> None:
    """The document has this very table; with RANKWISE_WRITE_DOCS=1 it gets it."""
    if os.environ.get("RANKWISE_WRITE_DOCS"):
        path = ROOT / document
        start, end = f"<!-- made: {name} -->\n", "<!-- end -->"
        text = re.sub(
            re.escape(start) + "(.*?\n)??" + re.escape(end),
            lambda _: f"{start}{expected}\n{end}",
            path.read_text(),
            flags=re.DOTALL,
        )
        path.write_text(text)
    assert table_in(document, name) == expected, f"run RANKWISE_WRITE_DOCS=1 make test to renew {name} in {document}"


def numbers(table: str) -> list[float]:
    return [float(word) for word in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", table)]
