"""Public contracts: what must hold for every metric, every ranker and every sampler, ours and yours.

from rankwise.checks import check_metric, check_ranker, check_sampler
check_metric(MyMetric(k=10))       # raises AssertionError naming what does not hold
check_ranker(MyRanker("ndcg@10"))
check_sampler(MySampler())
"""

from rankwise.checks._metric import check_metric, metric_checks
from rankwise.checks._ranker import check_ranker, ranker_checks
from rankwise.checks._sampler import check_sampler, sampler_checks

__all__ = ["check_metric", "check_ranker", "check_sampler", "metric_checks", "ranker_checks", "sampler_checks"]
