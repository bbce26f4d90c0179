"""Scripts that measure: a package, so that no `benchmarks` of another library (pyarrow 17 has one) stands for it."""
