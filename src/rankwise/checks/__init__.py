"""Public contracts: what must hold for every metric and every ranker, ours and yours.

from rankwise.checks import check_metric, check_ranker
check_metric(MyMetric(k=10))       # raises AssertionError naming what does not hold
check_ranker(MyRanker("ndcg@10"))
"""

from rankwise.checks.metric import check_metric, metric_checks
from rankwise.checks.ranker import check_ranker, ranker_checks

__all__ = ["check_metric", "check_ranker", "metric_checks", "ranker_checks"]
