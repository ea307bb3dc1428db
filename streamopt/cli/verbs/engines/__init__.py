"""Verbs for hardware that layers share."""
