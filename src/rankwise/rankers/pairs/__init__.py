"""Rankers that learn from pairs: stumps, support vector machines, margins."""
