"""Models for other systems: ONNX Runtime, Elasticsearch and OpenSearch LTR, Solr, RankLib, Vespa, LightGBM."""

from rankwise.models.export._compare import ExportComparison, ScoreDifference
from rankwise.models.export._exporting import FORMATS, check, export

__all__ = ["FORMATS", "ExportComparison", "ScoreDifference", "check", "export"]
