"""Which formats there are, by name."""

from __future__ import annotations

from rankwise.errors import DataError
from rankwise.models.export.base import Format
from rankwise.models.export.lightgbm import LightGBM
from rankwise.models.export.onnx import Onnx
from rankwise.models.export.ranklib import RankLib
from rankwise.models.export.solr import Solr
from rankwise.models.export.vespa import Vespa
from rankwise.models.export.xgboost_json import XGBoostJson

__all__ = ["FORMATS", "format_named"]

FORMATS: dict[str, Format] = {one.name: one for one in (Onnx(), XGBoostJson(), Solr(), RankLib(), Vespa(), LightGBM())}


def format_named(name: str) -> Format:
    """The format of this name."""
    if name not in FORMATS:
        raise DataError(f"there is no format {name!r} to export to; choose one of {', '.join(FORMATS)}")
    return FORMATS[name]
