"""Data of known nature, the same for the same seed."""
