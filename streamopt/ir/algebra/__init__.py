"""Computation with expressions: values, cases and divisions; iterations that conditions leave."""
