"""What a node costs, as the rest of a graph sees it: its times and its DSPs.

A cost model is a rule from loop order and unroll factors to these. The factors may be arrays of
one length, so that one call judges all choices of a node in one loop order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

from streamopt.perf.algebra import INTEGERS
from streamopt.perf.dsp import dsps_per_lane
from streamopt.perf.timing import nest_timing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.binding import Binding
    from streamopt.ir.graph import Edge, Graph, Node
    from streamopt.perf.timing import NestTiming

__all__ = ["PUBLISHED", "CostModel", "NodeCost", "Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What of a graph a node's cost depends on.

    Attributes
    ----------
    operands
        Arrays that the node reads from other nodes.
    stores
        Channels that its output goes down.
    lane_dsps
        DSPs of one copy of its body in the paper's accounting.
    binding
        What its operators are built from.
    """

    operands: tuple[str, ...]
    stores: int
    lane_dsps: int
    binding: Binding = ()

    @staticmethod
    def of(
        graph: Graph, node: Node, ins: Sequence[Edge], outs: Sequence[Edge], binding: Binding = ()
    ) -> Setting:
        """Return what a node's cost depends on.

        Parameters
        ----------
        ins, outs
            Its channels.
        """
        operands = tuple(dict.fromkeys(edge.array for edge in ins))
        return Setting(operands, len(outs), dsps_per_lane(node, graph.element_of), binding)


@dataclass(frozen=True, slots=True)
class NodeCost:
    """Times in cycles and resources; integers or integer arrays of the shape of the factors.

    Attributes
    ----------
    luts
        Of operators and of what is around them at least; 0 where a model doesn't count them.
    as_fifo, as_buffer
        By operand: LUTs at least of its channel to the node, and of what keeps its elements there,
        if it is a FIFO and if it is a ping-pong buffer; nothing where a model doesn't count them.
    """

    timing: NestTiming[Any]
    dsps: Any
    luts: Any = 0
    as_fifo: Mapping[str, Any] = field(default_factory=dict[str, Any])
    as_buffer: Mapping[str, Any] = field(default_factory=dict[str, Any])


class CostModel(Protocol):
    """From loop order and unroll factors of one node to its cost."""

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node.

        Parameters
        ----------
        order
            Tile loops, outermost first.
        factors
            Unroll factor of every loop: integers, or integer arrays of one shape.
        """
        ...

    def least_dsps(self, node: Node, setting: Setting) -> int:
        """Return DSPs below which no choice of a node in a setting goes."""
        ...


class _Published:
    """Tables 2 and 3 and equation 3 of [1]: `nest_timing` and `dsps_per_lane`.

    [1] Basalama and Cong, Stream-HLS, FPGA 2025.
    """

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        tiles = {name: -(-trips // factors[name]) for name, trips in node.trip_counts.items()}
        algebra: Any = INTEGERS
        timing = nest_timing(node, order, tiles, setting.operands, algebra, stores=setting.stores)
        return NodeCost(timing, prod(factors.values()) * setting.lane_dsps)

    def least_dsps(self, node: Node, setting: Setting) -> int:
        return setting.lane_dsps


PUBLISHED: CostModel = _Published()
