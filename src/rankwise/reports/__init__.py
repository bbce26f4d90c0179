"""One HTML page that shows the result of `evaluate`, `compare` or `trade_off`, and pictures of results."""

from typing import TYPE_CHECKING

from rankwise.reports._report import write_report

if TYPE_CHECKING:
    from rankwise.reports._pictures import write_picture

__all__ = ["write_picture", "write_report"]


def __getattr__(name: str) -> object:
    if name == "write_picture":  # not above: matplotlib and the rankers take seconds to import
        from rankwise.reports._pictures import write_picture

        return write_picture
    raise AttributeError(f"module 'rankwise.reports' has no attribute {name!r}")
