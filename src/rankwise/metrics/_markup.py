"""Tables for papers and pages: LaTeX (with booktabs) and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": "$-$",
    "<": "$<$",
    ">": "$>$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


@dataclass(frozen=True)
class Cell:
    """Text of a table, whether it stands out, and what is raised behind it."""

    text: str
    bold: bool = False
    raised: str = ""


Row = Sequence[str | Cell]


def latex_table(header: Sequence[str], rows: Sequence[Row], caption: str) -> str:
    """A table for `\\usepackage{booktabs}`; columns of cells that may stand out are centred."""
    columns = "".join("l" if isinstance(cell, str) else "c" for cell in rows[0])
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(caption)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(latex_text, header)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_latex_cell, row)) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def latex_text(text: str) -> str:
    """Text as LaTeX prints it."""
    return "".join(LATEX.get(sign, sign) for sign in " ".join(text.split()))


def _latex_cell(cell: str | Cell) -> str:
    if isinstance(cell, str):
        return latex_text(cell)
    text = rf"\textbf{{{latex_text(cell.text)}}}" if cell.bold else latex_text(cell.text)
    return text + (rf"\textsuperscript{{{latex_text(cell.raised)}}}" if cell.raised else "")


def markdown_table(header: Sequence[str], rows: Sequence[Row], caption: str) -> str:
    """A table of GitHub's Markdown, with the caption below."""
    lines = [list(map(markdown_text, header)), ["---"] * len(header), *(list(map(_markdown_cell, row)) for row in rows)]
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines] + ["", markdown_text(caption)])


def markdown_text(text: str) -> str:
    """Text as Markdown shows it."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(text.split()))


def _markdown_cell(cell: str | Cell) -> str:
    if isinstance(cell, str):
        return markdown_text(cell)
    text = f"**{markdown_text(cell.text)}**" if cell.bold else markdown_text(cell.text)
    return text + (f"<sup>{markdown_text(cell.raised)}</sup>" if cell.raised else "")
