"""A schedule: the decisions of a strategy and nothing else.

It is the only thing a strategy returns, so the mathematical program, the oracle and any other
strategy feed the same downstream code.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.html_table import html_table

if TYPE_CHECKING:
    from streamopt.ir.binding import Binding
    from streamopt.ir.ports import PortPlan

__all__ = ["ChannelKind", "ChannelPlan", "NodePlan", "Schedule"]


class ChannelKind(StrEnum):
    """How a channel hands its array over."""

    FIFO = "fifo"
    PING_PONG = "ping_pong"


@dataclass(frozen=True, slots=True)
class NodePlan:
    """Loop order, unroll factors and operators of one node.

    Attributes
    ----------
    order
        All loops of the node, outermost tile loop first.
    unroll
        Pairs (loop, factor) for all loops, in the node's program order; a factor divides the
        loop's trip count.
    binding
        What its floating-point operators are built from; empty for the tool's choice.
    target_ii
        Cycles between the starts of two iterations at least; more than 1 for fewer operators,
        each of which then works for several lanes.
    """

    node: str
    order: tuple[str, ...]
    unroll: tuple[tuple[str, int], ...]
    binding: Binding = ()
    target_ii: int = 1

    @property
    def factors(self) -> dict[str, int]:
        """Return the unroll factor by loop."""
        return dict(self.unroll)

    @property
    def lanes(self) -> int:
        """Return the copies of the loop body that work in parallel."""
        return prod(factor for _, factor in self.unroll)


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """Kind of one channel, and the depth of each lane of a FIFO.

    Attributes
    ----------
    depth_elems
        Elements that one lane of a FIFO can hold; 0 for a ping-pong buffer.
    """

    channel: str
    kind: ChannelKind
    depth_elems: int = 0


@dataclass(frozen=True, slots=True)
class Schedule:
    """Plans for all nodes and all channels of one graph, in the graph's order.

    Attributes
    ----------
    rewrites
        Names of the rewrites that turn the graph into the one that is planned, in order; see
        `streamopt.transforms.rewrites`.
    ports
        How arrays cross the boundary; those that are not listed are in memory on the chip.
    """

    graph: str
    nodes: tuple[NodePlan, ...]
    channels: tuple[ChannelPlan, ...]
    rewrites: tuple[str, ...] = ()
    ports: tuple[PortPlan, ...] = ()

    @property
    def fifos(self) -> frozenset[str]:
        """Return the names of the channels that are FIFOs."""
        return frozenset(p.channel for p in self.channels if p.kind is ChannelKind.FIFO)

    def node(self, name: str) -> NodePlan:
        """Return the plan of a node; raises KeyError."""
        for plan in self.nodes:
            if plan.node == name:
                return plan
        raise KeyError(name)

    def channel(self, name: str) -> ChannelPlan:
        """Return the plan of a channel; raises KeyError."""
        for plan in self.channels:
            if plan.channel == name:
                return plan
        raise KeyError(name)

    def _repr_html_(self) -> str:
        """Show the loops of every node in a notebook."""
        rows = (
            (p.node, " ".join(p.order), " ".join(f"{loop}:{u}" for loop, u in p.unroll if u > 1))
            for p in self.nodes
        )
        fifos = f"{len(self.fifos)} of {len(self.channels)} channels are FIFOs"
        title = f"schedule of {self.graph}: {fifos}"
        return html_table(title, ("node", "loop order", "unroll"), rows)
