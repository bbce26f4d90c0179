"""One HTML page that shows the result of `evaluate`, `compare` or `trade_off`, or a model; and pictures of results."""

from typing import TYPE_CHECKING

from rankwise.reports._report import write_report

if TYPE_CHECKING:
    from rankwise.reports._model_page import write_model_report
    from rankwise.reports._pictures import write_picture

__all__ = ["write_model_report", "write_picture", "write_report"]


def __getattr__(name: str) -> object:  # not above: matplotlib and the rankers take seconds to import
    if name == "write_picture":
        from rankwise.reports._pictures import write_picture

        return write_picture
    if name == "write_model_report":
        from rankwise.reports._model_page import write_model_report

        return write_model_report
    raise AttributeError(f"module 'rankwise.reports' has no attribute {name!r}")
