"""The section of a report on the trade-off between two metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise import plot
from rankwise.reports._figures import drawn
from rankwise.reports._markup import Markup, element
from rankwise.reports._tables import plain_table

if TYPE_CHECKING:
    from rankwise.analysis import TradeOff


def trade_off_section(trade_off: TradeOff) -> Markup:
    """The curve, and a table of its points."""
    first, second = trade_off.metrics
    points = ", ".join(
        f"{weight:g}: {a:.4f} and {b:.4f}" for weight, (a, b) in zip(trade_off.weights, trade_off.means, strict=True)
    )
    label = f"{first} and {second} by weight of {first}. {points}."
    picture = drawn("trade-off", label, lambda axes: plot.trade_off(trade_off, ax=axes))
    level = f"{trade_off.comparison.level:.0%}"
    caption = f"Each point is a model, with the weight of {first} that it was trained on; the line is the Pareto front."
    how = (
        f"Models trained on w·{first} + (1 − w)·{second}, with {level} intervals (bootstrap). Each difference is to "
        "the model that was trained on that metric alone, with the p-value of Fisher’s randomization test over "
        "queries. On the front are models that no other beats on one metric without losing on the other."
    )
    return element(
        "section",
        element("h2", f"Trade-off between {first} and {second}"),
        element("figure", picture, element("figcaption", caption), class_="curve"),
        plain_table("Trade-off", *trade_off.table()),
        *(element("p", text, class_="note") for text in (how, *trade_off.notes)),
    )
