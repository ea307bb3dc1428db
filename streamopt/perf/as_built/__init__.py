"""Costs of nodes as they are built, for any loop order and unroll factors, without lowering."""
