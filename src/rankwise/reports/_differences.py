"""The section on differences between systems: a forest plot of each metric, and the tests as a table below it."""

from __future__ import annotations

import math

from rankwise import plot
from rankwise.metrics.comparison._compare import Comparison, PairTest
from rankwise.metrics.comparison._row_tests import READING, RowTest, row_test_table
from rankwise.plot._differences import forest_height
from rankwise.reports._figures import drawn
from rankwise.reports._markup import Markup, element
from rankwise.reports._page import NOTHING, figure, folded, instead, note, section
from rankwise.reports._tables import plain_table, test_table

HEADING = "Differences between systems"
COLOURS = "A line is the interval of a difference; in colour it leaves out 0."


def difference_section(comparison: Comparison) -> Markup:
    """Nothing for one system."""
    tests = _all_tests(comparison)
    if not tests:
        return NOTHING
    if all(math.isnan(test.interval[0]) for test in tests):
        return section(HEADING, instead(_why_not(comparison, comparison.metrics[0])))
    chance = f"{1 - comparison.level:.2g}"
    if comparison.tests:
        table = test_table(comparison.tests, comparison.level)
        how = (
            f"Difference of the means with its {comparison.level:.0%} interval (t). p is the chance of so "
            f"large a difference between equal systems, two-sided; below {chance} it is bold. The t-test and "
            "Fisher’s randomization test are Holm-corrected for the pairs of one metric; Tukey’s accounts "
            "for them by itself. Effect size: mean difference by the standard deviation of the differences. "
            "Wins, ties and losses count queries."
        )
        over = f"{COLOURS} p by Fisher’s randomization test over queries, Holm-corrected for the pairs of one metric."
    else:
        heads, *rows = row_test_table(comparison.row_tests, comparison.level)
        table, how = plain_table("Tests", heads, rows), f"{READING}."
        over = f"{COLOURS} p over the rows of the one list, Holm-corrected for the pairs of one metric."
    figures = [_forest(comparison, metric) for metric in comparison.metrics]
    return section(
        HEADING,
        element("div", *figures, class_="figures"),
        note(over),
        folded("All tests as a table", table, note(how)),
    )


def _all_tests(comparison: Comparison) -> list[PairTest | RowTest]:
    return [*comparison.tests, *comparison.row_tests]


def _forest(comparison: Comparison, metric: str) -> Markup:
    tests = [test for test in _all_tests(comparison) if test.metric == metric]
    with_interval = [test for test in tests if not math.isnan(test.interval[0])]
    if not with_interval:
        return figure(metric, instead(_why_not(comparison, metric)), "")
    words = " ".join(f"{test.a} less {test.b}: {test.difference:+.4f}." for test in with_interval)
    picture = drawn(
        f"forest-{comparison.metrics.index(metric)}",
        f"Differences of {metric}. {words}",
        lambda ax: plot.differences(comparison, metric, ax=ax),
        (5.0, forest_height(len(with_interval))),
    )
    return figure(metric, picture, "")


def _why_not(comparison: Comparison, metric: str) -> str:
    """Why no difference has an interval."""
    for test in comparison.row_tests:
        if test.metric == metric:
            return f"No difference of {metric} has an interval ({test.method.removeprefix('none: ')})."
    return f"No difference can be tested: fewer than two queries have a value of {metric}."
