"""HTTP: scoring, and the page to label in."""
