"""Searches in which LUTs have a price in DSPs, and bounds of these."""
