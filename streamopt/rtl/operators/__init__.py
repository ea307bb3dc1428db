"""Operators as blocks: one table from an operator and the formats of its operands."""
