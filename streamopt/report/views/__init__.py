"""Drawings of a page beside its charts over cycles: their HTML, and the values of their scripts."""
