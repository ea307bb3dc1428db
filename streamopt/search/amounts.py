"""What rows and channels take of further resources that have limits: costs beside the DSPs.

Amounts are lower bounds that add up: what a schedule takes is no less than their sum over its
rows and channels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.space.decisions import DecisionSpace

    Integers = npt.NDArray[np.int64]

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

    def of(self, resources: Sequence[int]) -> Amounts:
        """Return the amounts of some resources, by their places."""
        chosen = list(resources)
        return Amounts(
            tuple(self.limits[place] for place in chosen),
            {name: own[:, chosen] for name, own in self.nodes.items()},
            {channel: own[:, chosen] for channel, own in self.as_fifo.items()},
            {channel: own[:, chosen] for channel, own in self.as_buffer.items()},
        )

    def may_exceed(self) -> tuple[int, ...]:
        """Return the places of the resources whose limits some choice of rows exceeds."""
        most = np.zeros(len(self.limits), dtype=np.int64)
        for own in self.nodes.values():
            most = most + own.max(axis=0)
        for channel, own in self.as_fifo.items():
            most = most + np.maximum(own, self.as_buffer[channel]).max(axis=0)
        return tuple(np.flatnonzero(most > np.array(self.limits, dtype=np.int64)).tolist())

    def parts(
        self, space: DecisionSpace, chosen: Mapping[str, int], fifos: Collection[str]
    ) -> dict[str, Integers]:
        """Return what each node and the channels to it add up to, for one row of every node.

        Parameters
        ----------
        fifos
            Channels that are FIFOs.
        """
        found = {name: own[chosen[name]] for name, own in self.nodes.items()}
        for edge in space.graph.edges:
            if edge.channel in self.as_fifo:
                kind = self.as_fifo if edge.channel in fifos else self.as_buffer
                own = kind[edge.channel][chosen[edge.consumer]]
                found[edge.consumer] = found[edge.consumer] + own
        return found
