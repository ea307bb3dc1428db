"""Nodes in super logic regions: which is in which, proved to fit."""
