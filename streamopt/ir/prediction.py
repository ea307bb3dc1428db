"""What a performance model says of one schedule."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NodePrediction", "Prediction"]


@dataclass(frozen=True, slots=True)
class NodePrediction:
    """Absolute times of one node (st, fw, lw of [1] table 3, in cycles) and its resources."""

    node: str
    ii: int
    start_cycles: int
    first_write_cycles: int
    last_write_cycles: int
    lanes: int
    dsps: int


@dataclass(frozen=True, slots=True)
class Prediction:
    """Times of all nodes in topological order; the latency is the last write of all."""

    nodes: tuple[NodePrediction, ...]

    @property
    def latency_cycles(self) -> int:
        """Return the cycle of the last write of the whole graph."""
        return max((node.last_write_cycles for node in self.nodes), default=0)

    @property
    def dsps(self) -> int:
        """Return the DSPs of all nodes together."""
        return sum(node.dsps for node in self.nodes)
