"""Splitting, normalizing and describing data."""
