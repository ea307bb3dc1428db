"""The strategy of HIDA: tasks of balanced work, and unroll factors that agree along buffers.

Every node gets lanes in proportion to its work, in loops that agree with its neighbours' in how
they walk the arrays between them; all channels are ping-pong buffers.
`models/formulations/hida.md` has the steps.

[1] Ye, Jun, and Chen, HIDA: A Hierarchical Dataflow Compiler for High-Level Synthesis, ASPLOS
2024.
"""

from streamopt.strategies.hida.strategy import design

__all__ = ["design"]
