"""Thresholds with a guarantee."""
