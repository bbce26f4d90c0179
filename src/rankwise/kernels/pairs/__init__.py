"""Sums over pairs of documents, in linear time."""
