"""Models for operating points: one file per family of models, and what they share."""
