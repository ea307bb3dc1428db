"""A schedule, the decisions of a strategy and nothing else; and its prediction by a model.

It is the only thing a strategy returns, so the mathematical program, the oracle and any other
strategy feed the same downstream code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TypeAlias

from streamopt.ir.element import ElementType, FixedPoint
from streamopt.ir.network import BLOCK_NAMES, Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.ports import PortPlan, RamBlock
from streamopt.ir.text import html_table

Binding: TypeAlias = tuple[tuple[Operator, Implementation], ...]
"""Pairs (operator, implementation), each operator once; the others are the tool's choice.

Of a sequential node an operator may have several: its places in a phase have them in turn.
"""

BINDABLE: Mapping[Operator, tuple[Implementation, ...]] = {
    Operator.ADD: (Implementation.FABRIC, Implementation.FULLDSP),
    Operator.MUL: (
        Implementation.FABRIC,
        Implementation.MEDDSP,
        Implementation.FULLDSP,
        Implementation.MAXDSP,
        Implementation.PACKED,
    ),
}
"""Operators with a choice. Adders subtract too: ``add`` binds subtractions with additions."""


_OF_NARROW_INTEGERS = (Implementation.FABRIC, Implementation.PACKED)
NINE_BITS = ElementType.of_fixed_point(FixedPoint(9, 9))
"""The operands of a multiplier of ``uint8_t`` by ``int8_t``, or of two differences of 8 bits."""
NARROW = (ElementType.INT8, ElementType.UINT8, NINE_BITS)
"""Operands of a multiplier of integers that may be in LUTs, or share a DSP with another."""


def is_mixed(binding: Binding) -> bool:
    """Return whether an operator has several implementations."""
    return len(dict(binding)) < len(binding)


def bound_implementation(
    binding: Binding, operator: Operator, element: ElementType, number: int = 0
) -> Implementation | None:
    """Return the implementation that a binding asks of an operator; None for the tool's choice.

    Of integers only narrow products have a choice: an adder is LUTs anyway.

    Parameters
    ----------
    number
        Of its place in a phase.

    Examples
    --------
    >>> mixed = (Operator.ADD, Implementation.FABRIC), (Operator.ADD, Implementation.FULLDSP)
    >>> bound_implementation(mixed, Operator.SUB, ElementType.FLOAT, 3)
    <Implementation.FULLDSP: 'fulldsp'>
    """
    asked = Operator.ADD if operator is Operator.SUB else operator
    found = [built for own, built in binding if own is asked]
    built = found[number % len(found)] if found else None
    if element.is_float or built is None:
        return built
    is_product = asked is Operator.MUL and element in NARROW
    has_choice = is_product and built in _OF_NARROW_INTEGERS
    return built if has_choice else None


MOST_ARGUMENT_BANKS = 256
"""Of an argument, at opt6: the most that a published Stream-HLS design has within one SLR."""
PUBLISHED_ARGUMENT_BANKS = 625
"""The most banks of an argument that any published report has: Stream-HLS at 9,024 DSPs."""


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
    steps
        Of a sequential node: the name of its order (`streamopt.ir.stepping.steps`), whose loops
        ``order`` and ``unroll`` are about; tile loops of a phase stand as they do in ``order``.
    least_cycles, last_cycles
        Of a sequential node: pairs (phase, `LanedPhase.least_cycles`), and those that are longer
        at the last (phase, `LanedPhase.last_cycles`).
    straight
        Of a sequential node: arrays that only it touches, which it may read or write where they
        are, outside of it, if their banks suffice.
    blocks
        Of a streaming node: pairs (local memory, what it is made of) where the tool doesn't choose,
        with the names that `lower` gives after that of the node.
    """

    node: str
    order: tuple[str, ...]
    unroll: tuple[tuple[str, int], ...]
    binding: Binding = ()
    target_ii: int = 1
    steps: str = ""
    least_cycles: tuple[tuple[str, int], ...] = ()
    last_cycles: tuple[tuple[str, int], ...] = ()
    straight: tuple[str, ...] = ()
    blocks: tuple[tuple[str, RamBlock], ...] = ()

    @property
    def factors(self) -> dict[str, int]:
        """Return the unroll factor by loop."""
        return dict(self.unroll)

    @property
    def lanes(self) -> int:
        """Return the copies of the loop body that work in parallel."""
        return prod(factor for _, factor in self.unroll)

    def __str__(self) -> str:
        """Return one line: loops from the outermost in with their factors, then what is asked."""
        factors = self.factors
        loops = (f"{name} x {factors[name]}" if factors[name] > 1 else name for name in self.order)
        named = {
            operator: [b for o, b in self.binding if o is operator] for operator, _ in self.binding
        }
        asked = [f"{operator} in {' and '.join(built)}" for operator, built in named.items()]
        if self.target_ii != 1:
            asked.append(f"ii {self.target_ii}")
        asked += [f"{name} in {BLOCK_NAMES[of]}" for name, of in self.blocks]
        return "; ".join([f"{self.node}: {', '.join(loops)}".rstrip(": "), *asked])


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """Kind of one channel, and the depth of each lane of a FIFO.

    Attributes
    ----------
    depth_elems
        Elements that one lane of a FIFO can hold; 0 for a ping-pong buffer.
    block
        That its memory is bound to; None where the tool chooses.
    """

    channel: str
    kind: ChannelKind
    depth_elems: int = 0
    block: RamBlock | None = None

    def __str__(self) -> str:
        """Return one line: name, kind and depth."""
        depth = f" of {self.depth_elems}" if self.kind is ChannelKind.FIFO else ""
        bound = f", in {BLOCK_NAMES[self.block]}" if self.block else ""
        return f"channel {self.channel}: {self.kind}{depth}{bound}"


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
    most_banks
        That an argument is split into; None for as many as its lanes are, like published designs.
    slrs
        Pairs (node, super logic region that it is built in, by number), of all nodes or of none;
        see `streamopt.transforms.relays`.
    """

    graph: str
    nodes: tuple[NodePlan, ...]
    channels: tuple[ChannelPlan, ...]
    rewrites: tuple[str, ...] = ()
    ports: tuple[PortPlan, ...] = ()
    most_banks: int | None = None
    slrs: tuple[tuple[str, int], ...] = ()

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

    def __str__(self) -> str:
        """Return the rewrites, and a line for each node, channel and port."""
        rewrites = [f"rewrites: {', '.join(self.rewrites)}"] if self.rewrites else []
        limit = [f"at most {self.most_banks} banks of an argument"] if self.most_banks else []
        places = [f"{name} in SLR{at}" for name, at in self.slrs]
        parts = (*self.nodes, *self.channels, *self.ports, *limit, *places)
        return "\n".join([f"schedule of {self.graph}", *rewrites, *map(str, parts)])

    def __repr__(self) -> str:
        """Return the graph's name, its size and its FIFOs on one line."""
        fifos = f"{len(self.fifos)} of {len(self.channels)} channels FIFOs"
        return f"<Schedule of {self.graph}: {len(self.nodes)} nodes, {fifos}>"

    def _repr_html_(self) -> str:
        """Show the loops of every node in a notebook."""
        rows = (
            (p.node, " ".join(p.order), " ".join(f"{loop}:{u}" for loop, u in p.unroll if u > 1))
            for p in self.nodes
        )
        fifos = f"{len(self.fifos)} of {len(self.channels)} channels are FIFOs"
        title = f"schedule of {self.graph}: {fifos}"
        return html_table(title, ("node", "loop order", "unroll"), rows)


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
    """Times of all nodes in topological order, in one pass of so many."""

    nodes: tuple[NodePrediction, ...]
    passes: int = 1

    @property
    def latency_cycles(self) -> int:
        """Return the cycle of the last write of the whole graph, in its last pass."""
        return self.passes * max((node.last_write_cycles for node in self.nodes), default=0)

    @property
    def dsps(self) -> int:
        """Return the DSPs of all nodes together."""
        return sum(node.dsps for node in self.nodes)
