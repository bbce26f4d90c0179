"""Metrics, each a small class in a file of its own, and how they are computed and compared."""

from rankwise.kernels._compile import compiled, helper
from rankwise.metrics._alpha_ndcg import alpha_ndcg
from rankwise.metrics._base import Metric, metric_classes
from rankwise.metrics._contingency import macro_precision, micro_precision
from rankwise.metrics._conventions import CONVENTIONS
from rankwise.metrics._evaluate import evaluate
from rankwise.metrics._evaluation import Evaluation
from rankwise.metrics._hinge_rank import auc_lower_bound, hinge_rank_loss
from rankwise.metrics._names import parse
from rankwise.metrics.catalogue._auc import AUC
from rankwise.metrics.catalogue._aucpr import AUCPR
from rankwise.metrics.catalogue._average_precision import AveragePrecision
from rankwise.metrics.catalogue._bpref import BPref
from rankwise.metrics.catalogue._class_auc import ClassAUC
from rankwise.metrics.catalogue._curve import CurveMetric
from rankwise.metrics.catalogue._dcg import DCG
from rankwise.metrics.catalogue._err import ERR
from rankwise.metrics.catalogue._fbeta import FBeta
from rankwise.metrics.catalogue._linear import LinearMetric
from rankwise.metrics.catalogue._mauc import MAUC
from rankwise.metrics.catalogue._ndcg import NDCG
from rankwise.metrics.catalogue._pairs import PairwiseCorrect
from rankwise.metrics.catalogue._partial_auc import PartialAUC
from rankwise.metrics.catalogue._partial_aucpr import PartialAUCPR
from rankwise.metrics.catalogue._precision import Precision
from rankwise.metrics.catalogue._precision_at_recall import PrecisionAtRecall
from rankwise.metrics.catalogue._precision_by_class import MacroPrecision, MicroPrecision
from rankwise.metrics.catalogue._r_precision import RPrecision
from rankwise.metrics.catalogue._rbp import RBP
from rankwise.metrics.catalogue._recall import Recall
from rankwise.metrics.catalogue._recall_at_precision import RecallAtPrecision
from rankwise.metrics.catalogue._reciprocal_rank import ReciprocalRank
from rankwise.metrics.catalogue._success import Success
from rankwise.metrics.catalogue._tpr_at_fpr import TPRAtFPR
from rankwise.metrics.catalogue._weighted_sum import WeightedSum
from rankwise.metrics.catalogue._wta import WTA
from rankwise.metrics.certification._certificate import Certificate
from rankwise.metrics.certification._certify import certify, thresholds_to_try
from rankwise.metrics.comparison._compare import Comparison, compare

__all__ = [
    "AUC",
    "AUCPR",
    "CONVENTIONS",
    "DCG",
    "ERR",
    "MAUC",
    "NDCG",
    "RBP",
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
    "RPrecision",
    "Recall",
    "RecallAtPrecision",
    "ReciprocalRank",
    "Success",
    "TPRAtFPR",
    "WeightedSum",
    "alpha_ndcg",
    "auc_lower_bound",
    "certify",
    "compare",
    "compiled",
    "evaluate",
    "helper",
    "hinge_rank_loss",
    "macro_precision",
    "metric_classes",
    "micro_precision",
    "parse",
    "thresholds_to_try",
]
