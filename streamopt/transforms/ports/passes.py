"""Arrays that passes update in place: one memory off the chip behind the ports of two arrays."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from streamopt.errors import Diagnostic
from streamopt.ir.graph import Graph
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.schedule import Schedule
from streamopt.transforms.ports.movers import mover_of


def in_place(graph: Graph, ports: Sequence[PortPlan]) -> tuple[PortPlan, ...]:
    """Return ports whose pairs of arrays that are one memory lie in the channels of both.

    None of them is open any more.
    """
    known = {port.array: port for port in ports}
    for pair in () if graph.passes is None else graph.passes.in_place:
        found = [known[name] for name in pair if name in known]
        channels = dict.fromkeys(name for port in found for name in port.channels)
        known |= {port.array: replace(port, channels=tuple(channels)) for port in found}
    return tuple(replace(known[port.array], is_open=False) for port in ports)


def pass_problems(graph: Graph, schedule: Schedule) -> Iterator[Diagnostic]:
    """Yield the pairs that a schedule doesn't keep in one memory, in one order of its words.

    Parameters
    ----------
    graph
        With movers.
    """
    ports = {port.array: port for port in schedule.ports}
    for output, given in () if graph.passes is None else graph.passes.in_place:
        plans = [ports.get(name) for name in (output, given)]
        channels = {() if plan is None else plan.channels for plan in plans}
        is_outside = all(plan is not None and plan.kind is PortKind.AXI for plan in plans)
        places = {_words(graph, schedule, name) for name in (output, given)}
        if not is_outside or len(channels) > 1 or len(places) > 1:
            message = f"{graph.pass_count} passes update {given} in place as {output}, "
            message += "so both are one memory off the chip"
            hint = "give both the port m_axi in the same channels, and their movers the same loops"
            yield Diagnostic("E335", message, hint=hint)


def _words(graph: Graph, schedule: Schedule, array: str) -> tuple[tuple[int, int], ...]:
    """Return the dimensions of an array as its mover walks them, with lanes: the order of words."""
    mover = mover_of(graph, array)
    if mover is None:
        return ()
    access = next(a for a in (mover.write, *mover.reads) if a.array == array)
    at = {subscript.as_iterator(): place for place, subscript in enumerate(access.subscripts)}
    plan = schedule.node(mover.name)
    return tuple((at[name], plan.factors[name]) for name in plan.order if name in at)
