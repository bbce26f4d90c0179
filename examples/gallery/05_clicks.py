# %% [markdown]
# # Learning from clicks
#
# People click what they see, and they see the top: a model that knows the positions learns what is relevant, not what
# was on top.
#
# A search engine ranks by one signal. Nobody ever graded a result, but there is a log of what was shown where, and
# clicked. Documents and clicks are made by `rankwise.data`, so that the truth is known: the first place is always
# looked at, the second half as often, the third a third of the time.

# %%
import numpy as np
from matplotlib.figure import Figure

import rankwise as rw
from rankwise.data import cubic, simulate_clicks

everything = cubic(queries=300, documents=20, features=6, seed=1)
queries, test = rw.data.split(everything, (0.5, 0.5))
log = simulate_clicks(queries, queries.X[:, 0], sessions=60, top=10, seed=0)
shown = [np.flatnonzero(log.position == place) for place in range(1, 11)]
print(f"{log.rows.size:,} results shown, {int(log.clicked.sum()):,} clicks")
print("clicks by place:", *[f"{log.clicked[rows].mean():.0%}" for rows in shown])

# %% [markdown]
# ## Two models, the same clicks
#
# The one gets the clicks as they are, the other is told `position` as well. For comparison, a third gets the true
# grades, which nobody has.

# %%
trees = {"n_estimators": 60, "num_leaves": 15, "random_state": 0}
X = queries.X[log.rows]
raw = rw.LambdaMART("ndcg@10", **trees).fit(X, log.clicked, qid=log.session)
corrected = rw.LambdaMART("ndcg@10", **trees).fit(X, log.clicked, qid=log.session, position=log.position)
graded = rw.LambdaMART("ndcg@10", **trees).fit(queries)

# %% [markdown]
# The second has learned along the way how likely each place is looked at:

# %%
ax = Figure(figsize=(5.5, 3.2), layout="constrained").add_subplot()
ax.plot(corrected.positions_, 1 / np.arange(1, 11), "s", markersize=9, markerfacecolor="none", label="truth")
ax.plot(corrected.positions_, corrected.propensities_, "o-", label="learned from clicks")
ax.set(xlabel="place in the list", ylabel="chance that it is looked at", ylim=(0, 1.05))
ax.grid(alpha=0.3)
ax.legend(frameon=False)
ax.figure  # How likely each place is looked at, learned from clicks alone, and the truth.

# %% [markdown]
# ## Judged by the truth

# %%
models = {"corrected": corrected, "raw clicks": raw, "true grades": graded}
scores = {name: model.predict(test) for name, model in models.items()} | {"today": test.X[:, 0]}
comparison = rw.compare(test, scores, metrics="ndcg@10")
for name in scores:
    print(f"{name:11}  NDCG@10 {comparison.evaluations[name]['ndcg@10']:.3f}")

# %%
rw.plot.differences(comparison).figure  # Differences on new queries, judged by true grades.

# %% tags=["check"]
by_pair = {(pair.a, pair.b): pair for pair in comparison.tests}
assert by_pair["corrected", "raw clicks"].difference > 0.01
assert by_pair["corrected", "raw clicks"].fisher_p_holm < 0.05
assert np.abs(corrected.propensities_ - 1 / np.arange(1, 11)).max() < 0.1

# %% [markdown]
# **To take away.** Pass `position=` where labels are clicks. Documents that were shown in several places tell how much
# a place is worth, so let the ranking vary a little. Judge by grades, however few: metrics on raw clicks favour the
# ranking that was shown. More: [clicks](../clicks.md).
