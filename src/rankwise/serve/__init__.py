"""HTTP: the page to label in."""
