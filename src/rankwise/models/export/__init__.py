"""Models for other systems: ONNX Runtime, Elasticsearch and OpenSearch LTR, Solr, RankLib, Vespa, LightGBM."""

from rankwise.models.export.compare import Comparison, Difference
from rankwise.models.export.exporting import check, export
from rankwise.models.export.formats import FORMATS

__all__ = ["FORMATS", "Comparison", "Difference", "check", "export"]
