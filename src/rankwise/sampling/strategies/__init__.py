"""The samplers, one class per file."""
