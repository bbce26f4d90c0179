"""One HTML page that shows the result of `evaluate` or `compare`."""

from rankwise.reports._report import write_report

__all__ = ["write_report"]
