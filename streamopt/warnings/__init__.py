"""Warnings of a solution, as values: facts to know before a design is built.

A proof is of a model. Where the simulator says something else than the model, where a design will
be hard to place, and where a claim is nobody's proof, a warning says so, with its cause and what
to do about it.
"""
