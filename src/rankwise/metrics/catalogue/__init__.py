"""The metrics, one class per file."""
