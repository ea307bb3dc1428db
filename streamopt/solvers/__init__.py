"""Solvers behind one contract: a Pyomo model in, what was proved and how the search stopped out.

``registry.get("cpsat").solve(model, SolveOptions(...))`` is the whole use; nothing here knows
what the model is about.
"""
