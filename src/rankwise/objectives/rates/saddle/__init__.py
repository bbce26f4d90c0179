"""The saddle points of Eban et al. (2017), as printed; no estimator is trained by them.

They are kept for what they are exact about. The torch losses (`rankwise.losses.RateLoss`) take their surrogates and
derivatives from here and start at the thresholds that `SaddlePoint.start` finds; `linear_rates` solves the programs to
convergence, which tests compare with linear programming and `benchmarks/papers/eban.py` with `RateClassifier`.

`RateClassifier` uses soft counts (`objectives/rates/_soft_counts.py`) instead: a convex bound of a count is loose, so
that descending it from a model trained by cross entropy loses much of what that model had, and the multipliers must be
searched for. Soft counts are tight, and their price follows from the threshold.
"""
