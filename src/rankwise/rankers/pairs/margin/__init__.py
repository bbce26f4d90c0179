"""MarginRanker: Suehiro 2011's linear programs as a ranker that can prove how good it is."""
