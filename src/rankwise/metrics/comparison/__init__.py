"""Comparing systems: intervals and paired tests."""
