"""How arrays cross the boundary of a design: ports from a user's wishes, and what they cost."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, LegalityError, SolverError
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.program import Role
from streamopt.pipeline.evaluating import LEAST_FIFOS, size_fifos
from streamopt.pipeline.options import checked
from streamopt.pipeline.reading import dataflow
from streamopt.space.level import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Array, Program
    from streamopt.ir.schedule import Schedule
    from streamopt.pipeline.evaluating import FifoSizing
    from streamopt.strategies.solution import Request
    from streamopt.target.device import Target

__all__ = [
    "boundary_cycles",
    "boundary_of_form",
    "plan_ports",
    "put_outside",
    "request_with_ports",
]

WEIGHTS = "weights"
"""Stands for all of them."""

MOST_CHANNELS = 64
"""Of one array: more than any device has."""

_PORT = re.compile(r"(memory|m_axi|axis|rom)(?::(?:(\d+)|(\w+)\[(\d+)(?::(\d+))?\]))?")


@checked()
def plan_ports(
    graph: Graph | Program | str | PathLike[str],
    interface: str = PortKind.MEMORY,
    *,
    ports: Mapping[str, str] | None = None,
    on: Target | None = None,
) -> tuple[PortPlan, ...]:
    """Return a port for every array that crosses the boundary, with a balanced use of channels.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    interface
        Kind of all ports: ``memory``, ``m_axi`` or ``axis``.
    ports
        By array, what is different: ``rom``, ``axis``, ``m_axi`` or ``m_axi:HBM[3]``; spread over
        several channels ``m_axi:HBM[4:7]``, or ``m_axi:4`` for any four. ``weights`` are all
        weights, unless an array is called so.
    on
        The target whose channels are used, those of HBM where it has any; the U280 if not given.

    Raises
    ------
    LegalityError
        E331 for an array that doesn't cross the boundary, E332 for what is no port.
    TargetError
        E857 for a channel that the target doesn't have.
    """
    from streamopt.target.channels import balanced

    device, graph = _device(on), dataflow(graph)
    arrays = {array.name: array for array in graph.arrays if array.role is not Role.INTERNAL}
    asked = {name: _parsed(name, text) for name, text in (ports or {}).items()}
    usual = _parsed("all arrays", interface)
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
    fixed = {name: wish.channels for name, wish in chosen.items() if wish.channels}
    for channel in dict.fromkeys(name for names in fixed.values() for name in names):
        device.channel(channel)
    sizes = {n: _bytes(arrays[n]) for n, wish in chosen.items() if wish.kind is PortKind.AXI}
    parts = {name: wish.parts for name, wish in chosen.items()}
    where = balanced(sizes, _preferred(device), fixed, parts)
    return tuple(PortPlan(name, wish.kind, where.get(name, ())) for name, wish in chosen.items())


def request_with_ports(
    request: Request, ports: tuple[PortPlan, ...], by: tuple[str, str], on: Target | None
) -> Request:
    """Return a request whose graph has movers, and whose costs keep to their channels.

    At opt6 the graph and its costs are for each form anew: see `boundary_of_form`.

    Parameters
    ----------
    by
        Solver and formulation.

    Raises
    ------
    SolverError
        E525 for what knows nothing of channels: the exhaustive search, and the paper's
        formulation.
    LegalityError
        E331 for a port of an array that doesn't cross the boundary, E334 for a table of one that
        is written or has no values.
    TargetError
        E857 for a channel that the target doesn't have.
    """
    from streamopt.perf.bandwidth import ChannelLimited, TransferRule, channel_rates
    from streamopt.transforms.movers import moved_arrays, mover_of, with_movers

    if not ports:
        return request
    solver, formulation = by
    if solver == "exhaustive" or formulation != "compact":
        message = f"{request.level} by {solver} on the formulation '{formulation}' has no ports"
        hint = "leave --solver and --formulation out; or solve without, and emit with --port"
        raise SolverError(Diagnostic("E525", message, hint=hint))
    moved = moved_arrays(request.graph, ports)
    if LEVELS[request.level].is_honest:
        return replace(request, ports=ports)
    graph = with_movers(request.graph, moved)
    where = {port.array: port.memories for port in ports if port.array in moved}
    rates = channel_rates(where, _device(on))
    movers = {
        mover.name: TransferRule(graph.array(array).element.storage_bits, rates[array])
        for array in moved
        if (mover := mover_of(graph, array)) is not None
    }
    costs = ChannelLimited(request.costs, movers)
    return replace(request, graph=graph, costs=costs, ports=ports)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a user asks for an array: a kind, and which channels or how many."""

    kind: PortKind
    channels: tuple[str, ...] = ()
    parts: int = 1


def _parsed(name: str, text: str) -> _Wish:
    found = _PORT.fullmatch(text)
    if found is not None:
        kind, memory = PortKind(found[1]), found[3]
        parts, first = int(found[2] or 1), int(found[4] or 0)
        last = int(found[5] or first)
        if kind is PortKind.AXI and 0 < parts <= MOST_CHANNELS and first <= last:
            some = range(first, min(last + 1, first + MOST_CHANNELS)) if memory else ()
            return _Wish(kind, tuple(f"{memory}[{at}]" for at in some), parts)
        if text == kind:
            return _Wish(kind)
    hint = (
        "write memory, rom, m_axi, axis, or with channels m_axi:HBM[3], m_axi:HBM[4:7] or m_axi:4"
    )
    raise LegalityError(Diagnostic("E332", f"'{text}' is no port for {name}", hint=hint))


def _preferred(device: Target) -> list[str]:
    """Return the channels that arrays go to unasked: one kind, with a known rate."""
    known = [channel.name for channel in device.channels if channel.bytes_per_s]
    kind = known[0].split("[")[0] if known else ""
    return [name for name in known if name.split("[")[0] == kind]


def _bytes(array: Array) -> int:
    return array.size_elems * array.element.storage_bits // 8


@checked()
def put_outside(
    graph: Graph | Program | str | PathLike[str],
    schedule: Schedule,
    ports: tuple[PortPlan, ...],
    sizing: FifoSizing | None = LEAST_FIFOS,
) -> Schedule:
    """Return a schedule with movers for its ports, and small FIFOs to and from them.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    schedule
        Without ports.
    ports
        From `plan_ports`.
    sizing
        How FIFO depths are found; None leaves all tokens of a lane to the FIFOs of movers.

    Raises
    ------
    LegalityError
        E331 for a port of an array that doesn't cross the boundary, E333 if the schedule has
        ports already, E334 for a table of an array that is written or has no values.
    """
    from streamopt.transforms.apply import planned_graph
    from streamopt.transforms.port_schedule import with_ports

    if schedule.ports:
        message = f"the schedule of '{schedule.graph}' has ports already"
        hint = "leave --port out, or solve again"
        raise LegalityError(Diagnostic("E333", message, hint=hint))
    if all(port.kind is PortKind.MEMORY for port in ports):
        return schedule
    graph, on = dataflow(graph), None if sizing is None else sizing.on
    found = with_ports(graph, schedule, _with_copies(planned_graph(graph, schedule), ports, on))
    if sizing is None or not any(port.kind.is_outside for port in found.ports):
        return found
    return size_fifos(graph, found, sizing)[0]


def boundary_of_form(
    form: Graph, ports: tuple[PortPlan, ...], on: Target
) -> tuple[Graph, tuple[PortPlan, ...]]:
    """Return a rewritten graph with movers for ports, and ports for its copies of arguments too."""
    from streamopt.transforms.movers import moved_arrays, with_movers

    if not ports:
        return form, ()
    ports = _with_copies(form, ports, on)
    return with_movers(form, moved_arrays(form, ports)), ports


def boundary_cycles(graph: Graph, ports: tuple[PortPlan, ...], on: Target) -> int:
    """Return the cycles below which no design moves all arrays over the boundary: (B4)."""
    from streamopt.perf.bandwidth import channel_rates, least_cycles
    from streamopt.transforms.movers import moved_arrays

    moved = moved_arrays(graph, ports)
    rates = channel_rates({p.array: p.memories for p in ports if p.array in moved}, on)
    arrays = (graph.array(name) for name in moved)
    needed = (least_cycles(a.size_elems, a.element.storage_bits, rates[a.name]) for a in arrays)
    return max(needed, default=0)


def _with_copies(
    planned: Graph, ports: tuple[PortPlan, ...], on: Target | None
) -> tuple[PortPlan, ...]:
    """Return ports for copies of other arguments, too, each like its original."""
    from streamopt.target.channels import balanced

    known = {port.array: port for port in ports}
    copies = {copy: known[original] for copy, original in planned.copies if original in known}
    sizes = {name: _bytes(planned.array(name)) for name in (*known, *copies)}
    fixed = {port.array: port.channels for port in ports if port.channels}
    free = {name: sizes[name] for name, like in copies.items() if like.channels}
    used = {name: sizes[name] for name in fixed} | free
    parts = {name: len(copies[name].channels) for name in free}
    where = balanced(used, _preferred(_device(on)), fixed, parts) if free else {}
    return (
        *ports,
        *(PortPlan(name, like.kind, where.get(name, ())) for name, like in copies.items()),
    )


def _device(on: Target | None) -> Target:
    from streamopt.pipeline.evaluating import target

    return target() if on is None else on
