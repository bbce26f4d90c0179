"""What is judged: metrics, each a small class in a file of its own, and how they are applied."""

from rankwise.metrics.auc import AUC
from rankwise.metrics.aucpr import AUCPR
from rankwise.metrics.average_precision import AveragePrecision
from rankwise.metrics.base import Metric, metric_classes
from rankwise.metrics.bpref import BPref
from rankwise.metrics.certificate import Certificate
from rankwise.metrics.certify import certify, thresholds_to_try
from rankwise.metrics.class_auc import ClassAUC
from rankwise.metrics.compare import Comparison, compare
from rankwise.metrics.conventions import CONVENTIONS
from rankwise.metrics.curve import CurveMetric
from rankwise.metrics.dcg import DCG
from rankwise.metrics.err import ERR
from rankwise.metrics.evaluate import evaluate
from rankwise.metrics.evaluation import Evaluation
from rankwise.metrics.fbeta import FBeta
from rankwise.metrics.linear import LinearMetric
from rankwise.metrics.mauc import MAUC
from rankwise.metrics.names import parse
from rankwise.metrics.ndcg import NDCG
from rankwise.metrics.pairs import PairwiseCorrect
from rankwise.metrics.partial_auc import PartialAUC
from rankwise.metrics.partial_aucpr import PartialAUCPR
from rankwise.metrics.precision import Precision
from rankwise.metrics.precision_at_recall import PrecisionAtRecall
from rankwise.metrics.precision_by_class import MacroPrecision, MicroPrecision
from rankwise.metrics.recall import Recall
from rankwise.metrics.recall_at_precision import RecallAtPrecision
from rankwise.metrics.reciprocal_rank import ReciprocalRank
from rankwise.metrics.tpr_at_fpr import TPRAtFPR
from rankwise.metrics.wta import WTA

__all__ = [
    "AUC",
    "AUCPR",
    "CONVENTIONS",
    "DCG",
    "ERR",
    "MAUC",
    "NDCG",
    "WTA",
    "AveragePrecision",
    "BPref",
    "Certificate",
    "ClassAUC",
    "Comparison",
    "CurveMetric",
    "Evaluation",
    "FBeta",
    "LinearMetric",
    "MacroPrecision",
    "Metric",
    "MicroPrecision",
    "PairwiseCorrect",
    "PartialAUC",
    "PartialAUCPR",
    "Precision",
    "PrecisionAtRecall",
    "Recall",
    "RecallAtPrecision",
    "ReciprocalRank",
    "TPRAtFPR",
    "certify",
    "compare",
    "evaluate",
    "metric_classes",
    "parse",
    "thresholds_to_try",
]
