"""What a fitted model computes, free of the library that trained it: a sum of trees, a linear function,
quantiles of features or a net.

Every model gives one of these by `to_score_function`, and every format of `rankwise.models.export` is written
from them.
"""
