"""The model families of RateClassifier."""
