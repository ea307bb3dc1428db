"""Designs on a board: what is around them there."""
