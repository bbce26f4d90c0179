"""Rankers that are sums of decision stumps: what stumps are, how the best is found, and boosting."""
