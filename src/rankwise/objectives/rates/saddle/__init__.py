"""The saddle-point programs of Eban et al. (2017)."""
