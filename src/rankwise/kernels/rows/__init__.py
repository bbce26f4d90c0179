"""Loops over rows: hashes, products, projections, soft counts."""
