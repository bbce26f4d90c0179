# %% [markdown]
# # Very long lists
#
# One list of a million rows has billions of pairs; here its gradients take time nearly in proportion to the rows.
#
# Training on a ranking metric asks of every pair of a better and a worse document whether it stands in the right
# order. Libraries that visit the pairs are made for lists of a hundred, and cut longer ones. But churn, fraud, leads
# and recommendation are one list of everybody.

# %%
from time import process_time

import numpy as np
from matplotlib.figure import Figure

import rankwise as rw
from rankwise.data import cubic

rng = np.random.default_rng(0)


def seconds(work, *arguments):
    """CPU seconds of the quickest of three calls."""
    times = []
    for _ in range(3):
        start = process_time()
        work(*arguments)
        times.append(process_time() - start)
    return min(times)


def by_pairs(y, scores):
    """The λ's of AUC as the formula has them: a force between each positive and each negative.

    It is what AUC changes by if the two change places, times how far they are from the right order.
    """
    ranks = np.argsort(np.argsort(-scores))
    swaps = np.abs(ranks[y == 1][:, None] - ranks[y == 0]) / ((y == 1).sum() * (y == 0).sum())
    forces = swaps / (1 + np.exp(scores[y == 1][:, None] - scores[y == 0]))
    lambdas = np.zeros(y.size)
    lambdas[y == 1], lambdas[y == 0] = forces.sum(axis=1), -forces.sum(axis=0)
    return lambdas


# %% [markdown]
# The two agree:

# %%
y, scores = (rng.random(2_000) < 0.1).astype(float), rng.normal(size=2_000)
gradient, _ = rw.lambda_gradients("auc", y, scores)
lambdas = by_pairs(y, scores)
difference = np.abs(-gradient - lambdas).max() / np.abs(lambdas).max()
print(f"largest difference: {difference:.1e} of the largest λ")
assert difference < 1e-3

# %% [markdown]
# ## Time by length
#
# A tenth of the rows is positive. Pairs are visited up to ten thousand rows, beyond which that is no fun.

# %%
lengths = {"pairs": [300, 1_000, 3_000, 10_000], "rankwise": [300, 1_000, 10_000, 100_000, 1_000_000]}
times = {"pairs": [], "rankwise": []}
for name, work in {"pairs": by_pairs, "rankwise": lambda y, s: rw.lambda_gradients("auc", y, s)}.items():
    for length in lengths[name]:
        y = (rng.random(length) < 0.1).astype(float)
        times[name].append(seconds(work, y, rng.normal(size=length)))
pairs = y.sum() * (1 - y).sum()
print(f"a million rows, {pairs / 1e9:.0f} billion pairs: {times['rankwise'][-1]:.2f} CPU s")

# %%
ax = Figure(figsize=(6, 3.6), layout="constrained").add_subplot()
for name, marker in {"pairs": "s--", "rankwise": "o-"}.items():
    ax.loglog(lengths[name], times[name], marker, label=name)
ax.set(xlabel="rows of the list", ylabel="CPU seconds")
ax.grid(alpha=0.3)
ax.legend(frameon=False)
ax.figure  # Gradients of AUC: by pairs the time grows with the square of the length, here nearly with the length.

# %% [markdown]
# ## Train on one list
#
# 60,000 customers, of whom 3% will leave. We can call a tenth of them. `LambdaMART("auc")` without `qid` takes all
# rows as one list; a plain classifier of the same trees is beside it.

# %%
import lightgbm as lgb

customers = cubic(queries=1, documents=120_000, features=12, seed=1)
X, leaves = customers.X[:, :10], (customers.y >= 4).astype(float)
train, test = slice(0, 60_000), slice(60_000, None)
trees = {"n_estimators": 60, "num_leaves": 15, "random_state": 0, "n_jobs": 1}
model = rw.LambdaMART("auc", **trees).fit(X[train], leaves[train])
plain = lgb.LGBMClassifier(**trees, verbose=-1).fit(X[train], leaves[train])
scores = {"trained on AUC": model.predict(X[test]), "log loss": plain.predict_proba(X[test])[:, 1]}
comparison = rw.compare(leaves[test], scores, metrics="auc")
print(comparison)

# %%
rw.plot.gain(leaves[test], scores).figure  # The share of all who leave among those we call.

# %%
called = {name: rw.evaluate(leaves[test], values, metrics="r@6000")["r@6000"] for name, values in scores.items()}
print(", ".join(f"{name}: {share:.1%} of those who leave are called" for name, share in called.items()))

# %% tags=["check"]
assert called["trained on AUC"] > 0.5

# %% [markdown]
# **To take away.** Exact metrics and exact gradients for lists of any length, with no cut and no sampling of pairs.
# More: [benchmarks](../benchmarks.md), [more rows than memory](../scale.md).
