# %% [markdown]
# # Training on a Dask cluster
#
# Rows lie in Parquet files on several machines; the model is the same, tree by tree, as that of one machine.
#
# Two workers stand for the machines here. They read the files, deal queries among themselves, and add up their
# histograms; the driver never sees a row.

# %%
import numpy as np
from distributed import Client, SubprocessCluster

import rankwise as rw
from rankwise.data import web

data = web(queries=500, documents=40, features=20, seed=1)
train, valid, test = rw.data.split(data, (0.6, 0.2, 0.2))
for number, rows in enumerate(np.array_split(np.arange(len(train)), 4)):
    rw.write(train.rows(rows), f"train.{number}.parquet")  # a query may begin in one file and end in the next
rw.write(valid, "valid.parquet")
rw.write(test, "test.parquet")

# %% [markdown]
# ## The same call, with a client

# %%
settings = {"n_estimators": 40, "num_leaves": 15, "random_state": 0, "n_jobs": 1}
with SubprocessCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
    spread = rw.LambdaMART("ndcg@10", **settings)
    spread.fit("train.*.parquet", eval_set="valid.parquet", client=client)
    scores = spread.predict("test.parquet", client=client)

# %% [markdown]
# The learning curve is the metric of all validation queries, whichever worker has them:

# %%
rw.plot.learning_curve(spread).figure  # NDCG@10 by rounds on the validation queries of both workers.

# %% [markdown]
# ## Is it the same model?
#
# The same files again, in this process alone:

# %%
alone = rw.LambdaMART("ndcg@10", **settings).fit("train.*.parquet", eval_set="valid.parquet")
same = alone.predict("test.parquet")
print(f"largest difference of {same.size:,} scores: {np.abs(scores - same).max():.1e}")
print(f"NDCG@10 on test queries: {rw.evaluate(test, scores, metrics='ndcg@10')['ndcg@10']:.4f}")

# %% tags=["check"]
assert np.abs(scores - same).max() == 0

# %% [markdown]
# Not a bit differs. Sums of floating-point numbers depend on their order, and so on who adds them up; here gradients
# are rounded to a grid on which sums are exact.

# %%
rw.plot.importances(spread, test, repeats=2).figure  # What the model looks at, by how much NDCG@10 falls without it.

# %% [markdown]
# **To take away.** Develop on one machine and train on many: the call differs by `client=`, and so does the shell's,
# by `--dask`. If a worker dies, a checkpoint is named from which training goes on. More: [scale](../scale.md), where
# it is also said when LightGBM itself decides otherwise on several machines.
