"""The table of a comparison as papers print it: a row per system, marked where it is better than which others."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

from rankwise._validation import check_real, check_whole
from rankwise.metrics._markup import Cell, Row

if TYPE_CHECKING:
    from rankwise.metrics.comparison._compare import Comparison


def system_table(comparison: Comparison, alpha: float, digits: int) -> tuple[list[str], list[Row], str]:
    """Header, rows and caption; `alpha` is the level of the tests."""
    level = check_real("alpha", alpha, 0.0, 1.0)
    names, metrics = list(comparison.evaluations), comparison.metrics
    signs = dict(zip(names, ascii_lowercase if len(names) <= 26 else map(str, range(1, len(names) + 1)), strict=False))
    beaten: dict[tuple[str, str], list[str]] = {}
    for metric, a, b, difference, p in _tests(comparison):
        if p < level:
            better, worse = (a, b) if difference > 0 else (b, a)
            beaten.setdefault((metric, better), []).append(signs[worse])
    shown = {
        (metric, name): f"{evaluation[metric]:.{check_whole('digits', digits, 0, 15)}f}"
        for name, evaluation in comparison.evaluations.items()
        for metric in metrics
    }
    rows: list[Row] = []
    for name in names:
        cells = [
            Cell(
                shown[metric, name],
                bold=shown[metric, name] == shown[metric, comparison.best(metric)] != "nan",
                raised=("" if len(names) <= 26 else ",").join(beaten.get((metric, name), [])),
            )
            for metric in metrics
        ]
        rows.append((signs[name], name, *cells))
    return ["", "system", *metrics], rows, _caption(comparison, level)


def _tests(comparison: Comparison) -> list[tuple[str, str, str, float, float]]:
    """Metric, both systems, their difference and its corrected p-value, of queries or of the rows of one list."""
    by_query = [(t.metric, t.a, t.b, t.difference, t.fisher_p_holm) for t in comparison.tests]
    return by_query + [(t.metric, t.a, t.b, t.difference, t.p_holm) for t in comparison.row_tests]


def _caption(comparison: Comparison, alpha: float) -> str:
    first = next(iter(comparison.evaluations.values()))
    if comparison.row_tests:
        what = f"Values on one list of {comparison.row_tests[0].rows:,} rows"
        test = "paired tests over rows (DeLong's for auc, the bootstrap for other metrics)"
        untested = dict.fromkeys(t.metric for t in comparison.row_tests if t.method.startswith("none"))
    else:
        what = f"Means over {len(first.qids):,} queries"
        test = "Fisher's randomization test over queries"
        untested = dict.fromkeys(t.metric for t in comparison.tests if t.fisher_p_holm != t.fisher_p_holm)
    return (
        f"{what}, the best of each metric in bold. Superscripts: significantly higher than the system of that sign by "
        f"{test}, Holm-corrected for the pairs of a metric, p < {alpha:g}."
        + (f" Not tested: {', '.join(untested)}." if untested else "")
    )
