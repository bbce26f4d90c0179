# %% [markdown]
# # Fraud with a certified threshold
#
# A threshold that had a precision of 90% yesterday may not have it tomorrow; a certified one does, with a confidence
# you name.
#
# Of many payments few are fraud, people look at every payment that is flagged, and nine of ten flags must be right, or
# they stop looking. The payments here are made by `rankwise.data.cubic`, so that there are as many as we like: that
# lets us check afterwards what a promise is worth.

# %%
import numpy as np
from matplotlib.figure import Figure

import rankwise as rw
from rankwise.data import cubic

payments = cubic(queries=1, documents=120_000, features=6, seed=4)
X, fraud = payments.X, payments.y >= 4
rng = np.random.default_rng(0)
print(f"{fraud.size:,} payments, {fraud.mean():.1%} of them fraud")

# %% [markdown]
# ## A model for the operating point
#
# `r@p=0.9`: find as much fraud as possible while nine of ten flags are right. The threshold comes with the model.

# %%
model = rw.RateClassifier("r@p=0.9", n_estimators=60, random_state=0, pos_label=True).fit(X[:20_000], fraud[:20_000])
new = slice(20_000, None)
flagged, bad = model.predict(X[new]), fraud[new]
print(f"on new payments: precision {bad[flagged].mean():.3f}, recall {flagged[bad].mean():.3f}")

# %% [markdown]
# ## What is a threshold worth that looked good once?
#
# Suppose a colleague takes 8,000 newer payments whose outcome is known, and the lowest threshold at which 90% of what
# is flagged is fraud. `rw.certify` takes the same payments, and asks more: which threshold has that precision in the
# *population*, with a confidence of 95%?

# %%
scores, bad = model.scores(X[new]), fraud[new]
newer = rng.choice(bad.size, 8_000, replace=False)


def hindsight(y, scores):
    """The lowest threshold with a precision of 0.9 on these rows."""
    order = np.argsort(-scores)
    precision = np.cumsum(y[order]) / np.arange(1, y.size + 1)
    return scores[order[np.flatnonzero(precision >= 0.9).max()]]


certificate = rw.certify(bad[newer], scores[newer], "r@p=0.9", confidence=0.95)
print(certificate)

# %%
ax = rw.plot.precision_recall_threshold(bad[newer], scores[newer], threshold=certificate.threshold)
ax.axvline(hindsight(bad[newer], scores[newer]), color="C3", linewidth=1, label="hindsight")
ax.figure  # Precision and recall by threshold on 8,000 payments; the certified threshold is the stricter one.

# %% [markdown]
# ## Checked a hundred times
#
# All 100,000 new payments are the population. We draw 8,000 of them a hundred times, choose both thresholds each time,
# and look up the precision that they really have.

# %%
truth = {"hindsight": [], "certified": []}
for _ in range(100):
    drawn = rng.choice(bad.size, 8_000, replace=False)
    found = rw.certify(bad[drawn], scores[drawn], "r@p=0.9", confidence=0.95)
    truth["hindsight"].append(bad[scores >= hindsight(bad[drawn], scores[drawn])].mean())
    if found.certified:
        truth["certified"].append(bad[scores >= found.threshold].mean())
broken = {name: np.mean(np.array(precisions) < 0.9) for name, precisions in truth.items()}
for name, precisions in truth.items():
    print(f"{name:9}  a threshold in {len(precisions)} of 100 draws, {broken[name]:.1%} of them below 0.9 in truth")

# %%
ax = Figure(figsize=(6, 3), layout="constrained").add_subplot()
for name, precisions in truth.items():
    ax.hist(precisions, bins=np.linspace(0.84, 1.0, 65), alpha=0.7, label=name)
ax.axvline(0.9, color="black", linewidth=1)
ax.set(xlabel="true precision", ylabel="thresholds")
ax.legend(frameon=False)
ax.figure  # What thresholds that promised 0.9 really have: hindsight is nearly as often below as above.

# %% tags=["check"]
assert 0.35 < broken["hindsight"] < 0.6
assert 50 < len(truth["certified"]) < 100
assert broken["certified"] <= 0.05

# %% [markdown]
# The threshold by hindsight breaks its promise nearly every second time: it was chosen because it looked good. The
# certified one keeps it, as often as it said it would; and where these payments prove too little, it says so and names
# no threshold.
#
# ## When there are too few rows
#
# Then there is no threshold, and a sentence says what it would take:

# %%
few = rw.certify(bad[newer[:300]], scores[newer[:300]], "r@p=0.9", confidence=0.95)
assert not few.certified
print(few)

# %% [markdown]
# **To take away.** Train for the point that people work at, and have its threshold certified on payments that the
# model has not seen. `model.certify(data)` does it for a fitted model, `rankwise certify` from the shell. More:
# [operating points](../operating-points.md).
