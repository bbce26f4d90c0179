"""`rankwise metrics`: what rankings can be evaluated by."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from rankwise.cli import _options as options
from rankwise.cli._output import print_json, print_table, working

if TYPE_CHECKING:
    from rankwise.metrics import Metric


def metrics(json: options.JsonOption = False) -> None:
    """List the metrics: how they are spelt, what they mean, and what a query needs to count.

    Example: rankwise metrics
    """
    with working("loading"):
        from rankwise.metrics import metric_classes, parse
        from rankwise.metrics._names import EXAMPLES

    spelt: dict[type[Metric], list[str]] = {metric: [] for metric in metric_classes()}
    for example in EXAMPLES:
        spelt[type(parse(example))].append(example)
    listed = [
        (" ".join(examples or [metric.name]), _first_line(metric), metric.needs) for metric, examples in spelt.items()
    ]
    if json:
        print_json([dict(zip(("spelling", "meaning", "needs"), row, strict=True)) for row in listed])
    else:
        print_table(("spelling", "meaning", "a query needs"), listed)


def _first_line(metric: type[Metric]) -> str:
    return (inspect.getdoc(metric) or "").partition("\n")[0]
