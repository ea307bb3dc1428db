"""Statements: what loops, branches, assignments, declarations and inlined calls emit."""
