"""Edits of a project: where its files are no longer those that were emitted, and by what cause."""
