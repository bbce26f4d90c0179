"""Suehiro 2011: 1-norm margins of convex combinations of hypotheses, as linear programs that are solved by cutting
planes."""
