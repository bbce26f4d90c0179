# %% [markdown]
# # Search ranking from a data frame
#
# A table of queries, documents, signals and grades becomes a ranker that is measurably better than today's formula.
#
# The search is for handwritten digits, which come with scikit-learn: the query is an image, its documents are sixty
# others, and a document is right if it shows the same digit. As in any search there are signals, each of which tells a
# little. Today's ranking is the best of them, the cosine of the two images.

# %%
import numpy as np
import pandas as pd
from scipy.ndimage import label as connected
from sklearn.datasets import load_digits

import rankwise as rw

digits = load_digits()
quarters = np.array(["top left", "top right", "bottom left", "bottom right"])
darkest = quarters[digits.images.reshape(-1, 2, 4, 2, 4).sum(axis=(2, 4)).reshape(-1, 4).argmax(axis=1)]
holes = np.array([connected(np.pad(image < 4, 1, constant_values=True))[1] - 1 for image in digits.images])


def cosine(a, b):
    """How alike two stacks of images are."""
    lengths = (a**2).sum(axis=(1, 2)) * (b**2).sum(axis=(1, 2))
    return (a * b).sum(axis=(1, 2)) / np.sqrt(lengths + 1e-9)


def search(images, queries, seed):
    """A row for each document of each query, as a log of a search engine would have it."""
    rng = np.random.default_rng(seed)
    query = np.repeat(rng.choice(images, queries, replace=False), 60)
    document = rng.choice(images, query.size)
    a, b = digits.images[query], digits.images[document]
    frame = pd.DataFrame({"query": query, "grade": digits.target[query] == digits.target[document]})
    frame["cosine"] = cosine(a, b)
    for number, name in enumerate(quarters):
        rows, columns = (slice(4 * half, 4 * half + 4) for half in divmod(number, 2))
        frame[name] = cosine(a[:, rows, columns], b[:, rows, columns])
    frame["edges across"], frame["edges down"] = (cosine(np.diff(a, axis=k), np.diff(b, axis=k)) for k in (2, 1))
    frame["rows"], frame["columns"] = (np.abs(a.sum(axis=k) - b.sum(axis=k)).sum(axis=1) for k in (2, 1))
    frame["difference"] = np.abs(a - b).sum(axis=(1, 2))
    frame["ink"] = np.abs(a.sum(axis=(1, 2)) - b.sum(axis=(1, 2)))
    frame["holes, query"], frame["holes, document"] = holes[query], holes[document]
    frame["darkest, query"], frame["darkest, document"] = darkest[query], darkest[document]
    return frame[query != document]


frame = search(np.arange(1000), 300, seed=0)
shown = ["query", "grade", "cosine", "top left", "rows", "holes, query", "holes, document", "darkest, document"]
print(frame.sample(5, random_state=1)[shown].round(2).to_string(index=False))

# %% [markdown]
# `from_frame` takes the columns as they are. Texts become categories, which trees split by sets of values. The queries
# to judge by are other images altogether.

# %%
data = rw.RankingData.from_frame(frame, label="grade", qid="query")
train, valid = rw.data.split(data, (0.8, 0.2))
test = rw.RankingData.from_frame(search(np.arange(1000, 1797), 300, seed=1), label="grade", qid="query")
print(train, valid, test, sep="\n")

# %% [markdown]
# ## Train on the metric, and stop on it
#
# The model is trained on NDCG@10, the quality of the first page. Queries that it does not learn from say when to stop.

# %%
model = rw.LambdaMART("ndcg@10", n_estimators=80, num_leaves=15, random_state=0).fit(train, eval_set=valid)
print(f"stopped at round {model.best_iteration_}")

# %% [markdown]
# ## Is it better than today's formula?
#
# One call judges both on the same queries, with intervals and paired tests.

# %%
scores = {"trained": model.predict(test), "cosine": test.X[:, test.feature_names.index("cosine")]}
comparison = rw.compare(test, scores, metrics="ndcg@10 map")
print(comparison)

# %%
ax = rw.plot.differences(comparison)
ax.figure  # Each metric: how far the trained model is above the cosine, with 95% intervals.

# %% tags=["check"]
for difference in comparison.tests:
    assert difference.difference > 0.02
    assert difference.fisher_p_holm < 0.001

# %% [markdown]
# The trained model is ahead on both, by far more than chance.
#
# ## What does it look at?
#
# Not "how often do trees split by it", but: how much NDCG@10 is lost if a column is shuffled within each query.

# %%
rw.plot.importances(model, test, repeats=3).figure  # By how much NDCG@10 falls without a signal.

# %% [markdown]
# And for one query: which signals put each document above the next one?

# %%
ax = rw.plot.query_waterfall(model, test, test.qid[0], top=6)
ax.figure  # The first documents of a query, each against the next.

# %% [markdown]
# **To take away.** A data frame in, a ranker out, and an answer to "is it better?" that holds: on new queries, with an
# interval, by the metric that it was trained on and by another. Keep it with `rw.save(model, "search.rw")`. More:
# [λ-functions](../lambda-functions.md), [tune and choose](../selection.md), [pictures](../plot.md).
