"""Rates at operating points, as smooth objectives."""
