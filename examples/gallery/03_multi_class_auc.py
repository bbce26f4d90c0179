# %% [markdown]
# # Multi-class AUC
#
# Grades are classes too: one AUC for each of them tells where work is left, and trees are trained on all of them.
#
# AUC knows relevant and irrelevant. Where there are grades (fair, good, excellent), multi-class AUC (MAUC, Welleck
# 2016) asks of each grade how well it is ranked against all other documents, and weighs the grades by how often they
# occur. Trees are trained on it directly here. The data is made by `rankwise.data.cubic`, with grades 0 to 3.

# %%
import numpy as np
from matplotlib.figure import Figure

import rankwise as rw
from rankwise.data import cubic

train, test = rw.data.split(cubic(queries=400, documents=40, features=8, grades=4, seed=2), (0.5, 0.5))
shares = {grade: np.mean(train.y == grade) for grade in (0, 1, 2, 3)}
print(train, "shares of grades:", *[f"{grade:.0f}: {share:.0%}" for grade, share in shares.items()])

# %% [markdown]
# ## A model, and one AUC per grade
#
# Beside the trees stands the linear SVM of pairs with which Welleck (2016) compares. `auc[2]` is the AUC of grade 2
# against the rest, those of grade 3 included.

# %%
trees = rw.LambdaMART("mauc", n_estimators=60, num_leaves=15, random_state=0).fit(train)
linear = rw.AUCSVM("mauc").fit(train)
scores = {"trees": trees.predict(test), "linear": linear.predict(test)}
comparison = rw.compare(test, scores, metrics="mauc auc[1] auc[2] auc[3]")
print(comparison)

# %%
figure = Figure(figsize=(9.5, 3.6), layout="constrained")
for ax, grade in zip(figure.subplots(1, 3, sharey=True), (1, 2, 3), strict=True):
    rw.plot.roc_curves(test.y == grade, scores, test.qid, ax=ax)
    ax.set_title(f"grade {grade} against the rest", fontsize="medium")
ax.figure  # One ROC curve per grade, the mean over queries: the highest grade is told best, the lowest is the hard one.

# %%
rw.plot.differences(comparison).figure  # By how much trees are ahead of the linear model, with 95% intervals.

# %% tags=["check"]
values = comparison.evaluations["trees"]
assert values["auc[1]"] < values["auc[2]"] < values["auc[3]"]
for pair in comparison.tests:
    assert pair.difference > 0.03
    assert pair.fisher_p_holm < 0.001

# %% [markdown]
# Two things that one figure hides. The highest grade, which few documents have, is told well; grade 1, which most
# relevant documents have, is where work is left. It cannot reach 1: documents of grades 2 and 3 rightly stand above
# those of grade 1, and count as wrong there. And the linear model is behind in every grade.
#
# **To take away.** `mauc`, `auc[c]`, `p-micro@k` and `p-macro@k` judge grades as classes, and `LambdaMART("mauc")`
# trains on all of them. For classes without an order there is `RateClassifier("auc")`, which has a model for each.
# More: [metrics](../metrics.md), [Welleck 2016](../papers/welleck.md).
