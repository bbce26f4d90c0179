# %% [markdown]
# # What to label next
#
# A label costs a minute of somebody's time; a simulation shows beforehand which labels are worth it.
#
# Thirty queries of a search for handwritten digits, a hundred documents each, and hardly any grades. Which documents
# should be graded next: some at random, those that the model thinks best, or those it is unsure of? `rw.simulate`
# tries it on data whose labels are known: it hides them, and gives out those that a sampler asks for.

# %%
import numpy as np
from matplotlib.figure import Figure

import rankwise as rw

train, test = rw.load_example("digits")
pool = train.rows(np.arange(30 * 100))
samplers = ["top", "lookahead", "uncertain", "random"]
result = rw.simulate(pool, test, samplers, rw.RankSVM(), rounds=6, seeds=8, metrics=["map"], n_jobs=1)
print(result)

# %% [markdown]
# Each run begins with one relevant document and ten others of each query, and adds five labels per query and round.
# After each round the model is fitted anew and judged on other queries.

# %%
ax = Figure(figsize=(6.2, 3.8), layout="constrained").add_subplot()
for sampler, style in zip(samplers, ["o-", "s-", "^--", "x:"], strict=True):
    labels = result.labelled[sampler].mean(axis=0) / result.queries
    low, high = result.interval(sampler, "map")
    (line,) = ax.plot(labels, result.mean(sampler, "map"), style, markersize=4, label=sampler)
    ax.fill_between(labels, low, high, color=line.get_color(), alpha=0.12, linewidth=0)
ax.axhline(result.full["map"], color="grey", linewidth=1, label="all 100 labels")
ax.set(xlabel="labels per query", ylabel="MAP on other queries")
ax.grid(alpha=0.3)
ax.legend(frameon=False, fontsize="small")
ax.figure  # How good the model is by the number of labels, with 95% intervals over eight runs.

# %% [markdown]
# How many labels does it take to be as good as with nearly all of them?

# %%
for sampler in samplers:
    needed = result.labels_needed(sampler, "map", share=0.98)
    print(f"{sampler:10} {f'{needed / result.queries:.0f} labels per query' if needed else 'more than there were'}")

# %% tags=["check"]
top, random = (result.labels_needed(sampler, "map", share=0.98) for sampler in ("top", "random"))
assert top is not None
assert random is None or random > 1.5 * top
by_pair = {(test.a, test.b): test for test in result.tests}
assert by_pair["top", "random"].difference > 0
assert by_pair["uncertain", "random"].difference < 0
assert max(by_pair[pair].p_runs for pair in (("top", "random"), ("uncertain", "random"))) < 0.05

# %% [markdown]
# Labels of the documents that the model thinks best go furthest here: relevant documents are rare, and that is where
# they are found. Labels that are chosen at random need far more to get there, and asking for what is uncertain is
# worse still, both beyond chance (`p runs`).
#
# ## In earnest
#
# The same sampler then asks people. `select` returns the rows that should be labelled next, from the labels so far
# (−1: none yet):

# %%
from rankwise.sampling import Lookahead, Pool

labels = np.where(np.arange(pool.y.size) % 100 < 15, pool.y, -1.0)
known = np.flatnonzero(labels >= 0)
ranker = rw.RankSVM().fit(pool.rows(known))
rows = Lookahead().select(Pool(pool, labels, ranker), per_query=3)
print("of the first two queries:", rows[:6].tolist())

# %% [markdown]
# **To take away.** Simulate on what you have before you pay for labels. `rankwise label` then opens a page to label
# in, which asks for what a sampler chooses. More: [what to label next](../sampling.md), [the labelling
# page](../labelling.md).
