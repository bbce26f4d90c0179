"""Documents and queries in words: reading them, BM25, and features of text."""
