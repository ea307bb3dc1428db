"""Rows of sequential nodes: their orders, lanes and operators, each built and timed."""
