"""One HTML page that shows what `evaluate` or `compare` found."""

from rankwise.reports._report import write_report

__all__ = ["write_report"]
