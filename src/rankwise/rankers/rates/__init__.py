"""Models for operating points: one file a family of models, and what they share."""
