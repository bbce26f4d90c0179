"""Neural nets (extra `torch`)."""
