"""What rows and channels take of further resources that have limits: costs beside the DSPs.

Amounts are lower bounds that add up: what a schedule takes is no less than their sum over its
rows and channels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt
    from numpy import int64

    from streamopt.space.decisions import DecisionSpace

    Integers = npt.NDArray[int64]

__all__ = ["Amounts"]


@dataclass(frozen=True, slots=True)
class Amounts:
    """Least amounts of every row; all arrays have the shape (rows, resources).

    Attributes
    ----------
    limits
        Of each resource.
    nodes
        By node: its hardware, and the channels to it that can't stream.
    as_fifo, as_buffer
        By channel that can stream, for the rows of its consumer: what it takes and makes the
        consumer take, as a FIFO and as a ping-pong buffer.
    """

    limits: tuple[int, ...]
    nodes: Mapping[str, Integers]
    as_fifo: Mapping[str, Integers]
    as_buffer: Mapping[str, Integers]

    def taken(self, space: DecisionSpace, places: Mapping[str, Integers]) -> Amounts:
        """Return the amounts of some rows of every node, by their places."""
        consumer = {edge.channel: edge.consumer for edge in space.graph.edges}
        return replace(
            self,
            nodes={name: own[places[name]] for name, own in self.nodes.items()},
            as_fifo={c: own[places[consumer[c]]] for c, own in self.as_fifo.items()},
            as_buffer={c: own[places[consumer[c]]] for c, own in self.as_buffer.items()},
        )
