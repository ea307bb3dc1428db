"""Ports of a design, from texts such as ``m_axi:HBM[3]``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, LegalityError
from streamopt.evaluation.boundary_ports import PortRequest, moved_outside, planned_ports
from streamopt.evaluation.fifo_sizing import LEAST_FIFOS, FifoSizing
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.schedule import Schedule
from streamopt.options import checked
from streamopt.pipeline.reading import dataflow
from streamopt.target.device import Target, or_usual

if TYPE_CHECKING:
    from streamopt.pipeline.sources.readers import Readable

MOST_CHANNELS = 64
"""Of one array: more than any device has."""

CHOSEN = "chosen"
"""Resident, or off the chip if the search takes that."""

_PORT = re.compile(r"(memory|m_axi|axis|rom|resident)(?::(?:(\d+)|(\w+)\[(\d+)(?::(\d+))?\]))?")


@checked()
def plan_ports(
    graph: Readable,
    interface: str = PortKind.MEMORY,
    *,
    ports: Mapping[str, str] | None = None,
    device: Target | None = None,
) -> tuple[PortPlan, ...]:
    """Return a port for every array that crosses the boundary, with a balanced use of channels.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    interface
        Kind of all ports: ``memory``, ``m_axi`` or ``axis``.
    ports
        By array, what is different: ``rom``, ``resident``, ``axis``, ``m_axi`` or
        ``m_axi:HBM[3]``; spread over several channels ``m_axi:HBM[4:7]``, or ``m_axi:4`` for any
        four; ``chosen`` is resident, or streamed where opt6's search for an interval has no blocks
        left. ``weights`` are all weights, unless an array is called so.
    device
        The target whose channels are used, those of HBM where it has any; the U280 if not given.

    Raises
    ------
    LegalityError
        E331 for an array that doesn't cross the boundary, E332 for what is no port.
    TargetError
        E857 for a channel that the target doesn't have.
    """
    asked = {name: _parsed(name, text) for name, text in (ports or {}).items()}
    usual = _parsed("all arrays", interface)
    return planned_ports(dataflow(graph), usual, asked, or_usual(device))


@checked()
def put_outside(
    graph: Readable,
    schedule: Schedule,
    ports: tuple[PortPlan, ...],
    sizing: FifoSizing | None = LEAST_FIFOS,
) -> Schedule:
    """Return a schedule with movers for its ports, and small FIFOs to and from them.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
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
    return moved_outside(dataflow(graph), schedule, ports, sizing)


def _parsed(name: str, text: str) -> PortRequest:
    if text == CHOSEN:
        return PortRequest(PortKind.RESIDENT, may_stream=True)
    found = _PORT.fullmatch(text)
    if found is not None:
        kind, memory = PortKind(found[1]), found[3]
        parts, first = int(found[2] or 0), int(found[4] or 0)
        last = int(found[5] or first)
        is_known = found[2] is None or 0 < parts <= MOST_CHANNELS
        if kind is PortKind.AXI and is_known and first <= last:
            some = range(first, min(last + 1, first + MOST_CHANNELS)) if memory else ()
            return PortRequest(kind, tuple(f"{memory}[{at}]" for at in some), parts)
        if text == kind:
            return PortRequest(kind)
    hint = (
        "write memory, resident, chosen, rom, m_axi, axis, or with channels m_axi:HBM[3], "
        "m_axi:HBM[4:7] or m_axi:4"
    )
    raise LegalityError(Diagnostic("E332", f"'{text}' is no port for {name}", hint=hint))
