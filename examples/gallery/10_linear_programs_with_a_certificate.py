# %% [markdown]
# # Linear programs with a certificate
#
# A score of a few measurements that a person can read, and a proof that no other weights would do better.
#
# 569 tumours with 30 measurements of their cells (`rw.load_example("breast_cancer")`): the malignant ones should come
# first. A committee will only accept a score that it can audit. `MarginRanker` finds the weighted sum whose worst
# pairs of a malignant and a benign tumour are as far apart as possible (Suehiro 2011), by linear programs.

# %%
import numpy as np
from matplotlib.figure import Figure

import rankwise as rw

train, test = rw.load_example("breast_cancer")
model = rw.MarginRanker(epsilon=0.1).fit(train)
print(f"{len(model.alpha_)} of {2 * train.n_features} hypotheses have a weight")

# %%
rw.plot.importances(model).figure  # All the weights there are.

# %% [markdown]
# ## The certificate
#
# A solver says that it is done; a certificate shows it. `epsilon=0.1` allows a tenth of the pairs to lie below the
# margin ρ. The last lines are the proof: a mixture of pairs shows that no weights at all have a higher value than the
# bound.

# %%
print(model.certificate_)

# %% [markdown]
# `verify` computes it again from the rows and the weights, and trusts no number that the solver left. This is for an
# auditor who has the model file and the data, and does not know us:

# %%
rw.save(model, "score.rw")
audited = rw.load("score.rw").verify(train)
assert audited.holds
print(f"value {audited.value:.6f}, bound {audited.bound:.6f}, holds: {audited.holds}")

# %% [markdown]
# The margins of all pairs, from which the certificate speaks:

# %%
scores = model.predict(train)
margins = (scores[train.y == 1][:, None] - scores[train.y == 0]).ravel() / 2
rho = model.certificate_.rho
ax = Figure(figsize=(6, 3.2), layout="constrained").add_subplot()
ax.hist(margins, bins=80)
ax.axvline(rho, color="black", linewidth=1, label=f"ρ: {np.mean(margins >= rho):.1%} of the pairs at or above it")
ax.margins(y=0.2)
ax.set(xlabel="margin of a pair", ylabel="pairs")
ax.legend(frameon=False)
ax.figure  # Margins of all pairs of a malignant and a benign tumour.

# %% [markdown]
# ## Is it any good on new tumours?
#
# Beside it stand boosted trees, which nobody can read.

# %%
trees = rw.LambdaMART("auc", n_estimators=60, random_state=0).fit(train)
systems = {"certified score": model.predict(test), "trees": trees.predict(test)}
comparison = rw.compare(test, systems, metrics="auc")
print(comparison)

# %% tags=["check"]
assert len(model.alpha_) == 3
(pair,) = comparison.row_tests
assert (pair.a, pair.b) == ("certified score", "trees")
assert pair.difference > 0
assert pair.p > 0.05

# %% [markdown]
# On tumours that neither has seen, the score of three measurements is level with the trees: a little ahead, by no more
# than chance.
#
# **To take away.** Where a model must be read, signed and audited, few weights with a proof can be had without paying
# for it in quality; look whether that is so on your data. From the shell: `rankwise info score.rw --verify train.csv`.
# More: [margins](../margins.md), [Suehiro 2011](../papers/suehiro.md).
