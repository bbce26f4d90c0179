"""Which formats there are, by name."""

from __future__ import annotations

from rankwise.errors import DataError
from rankwise.models.export._base import Format
from rankwise.models.export._lightgbm import LightGBM
from rankwise.models.export._onnx import Onnx
from rankwise.models.export._ranklib import RankLib
from rankwise.models.export._solr import Solr
from rankwise.models.export._vespa import Vespa
from rankwise.models.export._xgboost_json import XGBoostJson

FORMATS: dict[str, Format] = {one.name: one for one in (Onnx(), XGBoostJson(), Solr(), RankLib(), Vespa(), LightGBM())}


def format_named(name: str) -> Format:
    """The format of this name."""
    if name not in FORMATS:
        raise DataError(f"there is no format {name!r} to export to; choose one of {', '.join(FORMATS)}")
    return FORMATS[name]
