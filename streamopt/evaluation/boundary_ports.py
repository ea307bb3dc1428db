"""Boundary ports: a memory channel for each array that crosses, its movers and its least time."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from streamopt.errors import Diagnostic, LegalityError
from streamopt.evaluation.fifo_sizing import LEAST_FIFOS, FifoSizing, sized
from streamopt.evaluation.open_channels import (
    array_bytes,
    is_open,
    parts_within,
    preferred_channels,
    with_parts,
)
from streamopt.ir.graph import Graph
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.program import Role
from streamopt.ir.schedule import Schedule
from streamopt.perf.costs import CostModel
from streamopt.perf.pipelines.bandwidth import (
    ChannelLimited,
    TransferRule,
    least_cycles,
    least_shared_rates,
)
from streamopt.target.channels import balanced
from streamopt.target.device import Target, or_usual
from streamopt.transforms.apply import planned_graph
from streamopt.transforms.ports.movers import moved_arrays, mover_of, with_movers
from streamopt.transforms.ports.port_schedule import with_ports

WEIGHTS = "weights"
"""Stands for all of them."""


@dataclass(frozen=True, slots=True)
class PortRequest:
    """The port that a user asks for an array: its kind, and its channels or their number."""

    kind: PortKind
    channels: tuple[str, ...] = ()
    parts: int = 0
    """0 where the search may choose how many."""
    may_stream: bool = False
    """Whether a resident array may be off the chip instead."""

    @property
    def is_open(self) -> bool:
        """Return whether the search may choose channels, or between on and off the chip."""
        return self.may_stream or (
            self.kind is PortKind.AXI and not self.channels and not self.parts
        )


def planned_ports(
    graph: Graph, usual: PortRequest, asked: Mapping[str, PortRequest], target: Target
) -> tuple[PortPlan, ...]:
    """Return a port for every array that crosses the boundary, with a balanced use of channels.

    Parameters
    ----------
    usual
        The port of arrays that ``asked`` doesn't name.
    asked
        By array; ``weights`` are all weights, unless an array is called so.

    Raises
    ------
    LegalityError
        E331 for an array that doesn't cross the boundary.
    TargetError
        E857 for a channel that the target doesn't have.
    """
    arrays = {array.name: array for array in graph.arrays if array.role is not Role.INTERNAL}
    asked = dict(asked)
    of_weights = usual if WEIGHTS in arrays else asked.pop(WEIGHTS, usual)
    unknown = [name for name in asked if name not in arrays]
    if unknown:
        hint = f"the arrays are {', '.join(arrays)}"
        message = f"port '{unknown[0]}': no array that crosses the boundary"
        raise LegalityError(Diagnostic("E331", message, hint=hint))
    chosen = {
        name: asked.get(name, of_weights if array.role is Role.WEIGHT else usual)
        for name, array in arrays.items()
    }
    fixed = {name: port.channels for name, port in chosen.items() if port.channels}
    for channel in dict.fromkeys(name for names in fixed.values() for name in names):
        target.channel(channel)
    sizes = {n: array_bytes(arrays[n]) for n, port in chosen.items() if port.kind is PortKind.AXI}
    parts = {name: port.parts or 1 for name, port in chosen.items()}
    where = balanced(sizes, preferred_channels(target), fixed, parts)
    return tuple(
        PortPlan(name, port.kind, where.get(name, ()), port.is_open)
        for name, port in chosen.items()
    )


def with_boundary(
    graph: Graph, costs: CostModel, ports: tuple[PortPlan, ...], target: Target
) -> tuple[Graph, ChannelLimited]:
    """Return a graph with movers for its ports, and costs that keep to their channels.

    Raises
    ------
    LegalityError
        E331 for a port of an array that doesn't cross the boundary, E334 for a table of one that
        is written or has no values.
    TargetError
        E857 for a channel that the target doesn't have.
    """
    moved = moved_arrays(graph, ports)
    found = with_movers(graph, moved)
    rates = _rates(ports, moved, target)
    movers = {
        mover.name: TransferRule(found.array(array).element.outside_bits, rates[array])
        for array in moved
        if (mover := mover_of(found, array)) is not None
    }
    return found, ChannelLimited(costs, movers)


def boundary_of_form(
    form: Graph, ports: tuple[PortPlan, ...], target: Target, within_cycles: int = 0
) -> tuple[Graph, tuple[PortPlan, ...]]:
    """Return a rewritten graph with movers for ports, and ports for its copies of arguments too.

    Parameters
    ----------
    within_cycles
        In which open ports are to move their arrays, with the fewest channels for it; where that
        is too short, the least that channels allow.
    """
    if not ports:
        return form, ()
    ports = _with_copies(form, ports, target)
    if is_open(ports, target):
        ports = with_parts(form, ports, target, parts_within(form, ports, target, within_cycles))
    return with_movers(form, moved_arrays(form, ports)), ports


def boundary_cycles(graph: Graph, ports: tuple[PortPlan, ...], target: Target) -> int:
    """Return the cycles below which no design moves all arrays over the boundary: (B4)."""
    moved = moved_arrays(graph, ports)
    rates = _rates(ports, moved, target)
    arrays = (graph.array(name) for name in moved)
    needed = (least_cycles(a.size_elems, a.element.outside_bits, rates[a.name]) for a in arrays)
    return max(needed, default=0)


def _rates(
    ports: tuple[PortPlan, ...], moved: Collection[str], target: Target
) -> dict[str, tuple[float, ...]]:
    """Return the bytes a cycle of moved arrays, whatever is streamed beside them."""
    is_even = all(port.kind is not PortKind.RESIDENT for port in ports)
    channels = {port.array: port.memories for port in ports if port.array in moved}
    return least_shared_rates(channels, target, is_even=is_even)


def moved_outside(
    graph: Graph,
    schedule: Schedule,
    ports: tuple[PortPlan, ...],
    sizing: FifoSizing | None = LEAST_FIFOS,
) -> Schedule:
    """Return a schedule with movers for its ports, and small FIFOs to and from them.

    Without a sizing, all tokens of a lane are left to the FIFOs of movers.

    Raises
    ------
    LegalityError
        E331 for a port of an array that doesn't cross the boundary, E333 if the schedule has
        ports already, E334 for a table of an array that is written or has no values.
    """
    if schedule.ports:
        message = f"the schedule of '{schedule.graph}' has ports already"
        hint = "leave --port out, or solve again"
        raise LegalityError(Diagnostic("E333", message, hint=hint))
    if all(port.kind is PortKind.MEMORY for port in ports):
        return schedule
    if schedule.slrs:
        message = f"the nodes of '{schedule.graph}' are in regions already, its arrays on the chip"
        raise LegalityError(Diagnostic("E333", message, hint="solve again, with --port"))
    target = or_usual(None if sizing is None else sizing.on)
    found = with_ports(graph, schedule, _with_copies(planned_graph(graph, schedule), ports, target))
    if sizing is None or not any(port.kind.is_outside for port in found.ports):
        return found
    return sized(graph, found, sizing)[0]


def _with_copies(
    planned: Graph, ports: tuple[PortPlan, ...], target: Target
) -> tuple[PortPlan, ...]:
    """Return ports for copies of other arguments, too, each like its original."""
    known = {port.array: port for port in ports}
    copies = {copy: known[original] for copy, original in planned.copies if original in known}
    sizes = {name: array_bytes(planned.array(name)) for name in (*known, *copies)}
    fixed = {port.array: port.channels for port in ports if port.channels}
    free = {name: sizes[name] for name, like in copies.items() if like.channels}
    used = {name: sizes[name] for name in fixed} | free
    parts = {name: len(copies[name].channels) for name in free}
    where = balanced(used, preferred_channels(target), fixed, parts) if free else {}
    return (
        *ports,
        *(
            PortPlan(name, like.kind, where.get(name, ()), like.is_open)
            for name, like in copies.items()
        ),
    )
