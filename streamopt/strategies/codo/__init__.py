"""CODO: FIFO-first dataflow with a three-stage scheduler, as its paper and code have it ([1]).

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026. What is taken of it
and what is not: ``models/formulations/codo.md``.
"""

from streamopt.strategies.codo.strategy import design

__all__ = ["design"]
