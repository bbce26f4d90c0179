"""Models for other systems: ONNX Runtime, Elasticsearch and OpenSearch LTR, Solr, RankLib, Vespa, LightGBM."""

from rankwise.models.export._compare import Comparison, Difference
from rankwise.models.export._exporting import check, export
from rankwise.models.export._formats import FORMATS

__all__ = ["FORMATS", "Comparison", "Difference", "check", "export"]
