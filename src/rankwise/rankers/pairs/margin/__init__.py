"""MarginRanker: P3's linear programs as a ranker that can prove how good it is."""
