# %% [markdown]
# # A metric and a λ-function of your own
#
# A dozen lines make a metric that evaluates, has intervals and trains; five make a λ-function, and a diagnosis says
# what it does.
#
# Your product has its own idea of a good list. Say that a reader goes on to the next document with a chance of 60%,
# and gains from each as much as its grade. This is what should be trained on, then, and not what the textbook has.

# %%
from dataclasses import dataclass
from typing import ClassVar

import lightgbm as lgb
import numpy as np

import rankwise as rw
from rankwise.data import cubic
from rankwise.metrics import LinearMetric, compiled
from rankwise.objectives import CustomLambda, diagnose


@dataclass(frozen=True)
class Reader(LinearMetric):
    """What a reader gains who goes on with a chance of p, as a share of what the best order would give."""

    name: ClassVar[str] = "reader"
    needs: ClassVar[str] = "a relevant document"
    p: float = 0.6

    @compiled
    def _gains(self, labels, ideal):
        return labels

    @compiled
    def _discounts(self, ideal):
        return self.p ** np.arange(ideal.size)

    @compiled
    def _normalizer(self, ideal):
        return (ideal * self.p ** np.arange(ideal.size)).sum()


# %% [markdown]
# ## It is a metric like any other
#
# It has a name, with its parameter if you like, and can be used wherever a metric can. (`rankwise.checks.check_metric`
# is the battery that every metric of ours passes.)

# %%
grades = [0, 2, 1, 0]  # from the top down
for name in ("reader", "reader[0.9]", "ndcg"):
    print(f"{name:11} {rw.parse(name).value(grades):.3f}")

# %% [markdown]
# And it trains. What does that cost on another metric? `rw.trade_off` trains on sums of the two.

# %%
train, test = rw.data.split(cubic(queries=500, documents=25, features=8, seed=3), (0.4, 0.6))
trees = {"n_estimators": 40, "num_leaves": 15, "random_state": 0}
found = rw.trade_off(rw.LambdaMART(**trees), train, test, ("reader", "auc"), weights=5)
ax = rw.plot.trade_off(found)
ax.figure  # Each point is a model; the number is the weight of our metric in what it was trained on.

# %%
on_reader, on_auc = found.scores[found.names[0]], found.scores[found.names[-1]]
comparison = rw.compare(test, {"on reader": on_reader, "on auc": on_auc}, metrics="reader auc")
print(comparison)

# %% tags=["check"]
gains = {pair.metric: pair for pair in comparison.tests}
assert gains["reader"].difference > 0
assert gains["auc"].difference < 0
assert max(pair.fisher_p_holm for pair in gains.values()) < 0.01

# %% [markdown]
# The model that was trained on our metric is the better one by it, the one that was trained on AUC by AUC, both beyond
# chance. So it does matter what is trained on, and here is the whole range to choose from.
#
# ## A force in place of a metric
#
# Sometimes the idea is not a metric but a push. A λ-function says how two documents push each other apart: here, until
# their scores differ by as much as their grades do. `diagnose` tells whether there is a cost behind it:


# %%
def spread(labels, scores):
    """Push while the better document of a pair is not ahead by the difference of the grades."""
    grades, gaps = labels[:, None] - labels, scores[:, None] - scores
    missing = np.where(grades > 0, np.maximum(grades - gaps, 0.0), 0.0)
    return missing.sum(axis=1) - missing.sum(axis=0), (missing > 0).sum(axis=1) + (missing > 0).sum(axis=0)


diagnosis = diagnose(spread, y=[2, 0, 1, 0], scores=[0.3, 0.5, -0.2, 0.1])
assert diagnosis.convex.holds
print(diagnosis)

# %% [markdown]
# All four answers are yes: training goes downhill on a convex cost. LightGBM trains on it, or anything that takes
# gradients:

# %%
objective = CustomLambda(spread, train.y, train.qid)
settings = {"objective": lambda scores, _: objective.gradients(scores), "num_leaves": 15, "seed": 0, "verbose": -1}
own = lgb.train(settings, lgb.Dataset(train.X, train.y), num_boost_round=40)
systems = {"on reader": on_reader, "spread": own.predict(test.X), "on auc": on_auc}
all_pairs = rw.compare(test, systems, metrics="reader")
rw.plot.differences(all_pairs).figure  # All pairs of models by our metric.

# %% tags=["check"]
against = {(pair.a, pair.b): pair for pair in all_pairs.tests}
assert against["on reader", "spread"].difference < 0
assert against["on reader", "spread"].fisher_p_holm < 0.05
assert against["spread", "on auc"].difference > 0.03

# %% [markdown]
# The push is far ahead of training on AUC, and here even a little ahead of training on the metric itself (p < .05):
# which of the two is better is a question for queries that neither has seen, and takes one call.

# %% [markdown]
# **To take away.** What your users care about can be trained on, whether it is a metric or a push, and the result is
# judged with intervals and tests as any other. More: [add a metric](../add-a-metric.md),
# [λ-functions](../lambda-functions.md), [trade-offs](../analysis.md).
