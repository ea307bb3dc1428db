"""The regions of a design's processes, as the vendor's tools and TAPA are told them.

Vitis HLS calls the instance of a process ``<function>_U0``, a channel ``<variable>_U`` (with the
subscripts of each stream between) and the adapter of a port ``<bundle>_m_axi_U``. A FIFO is where
its writer is, so that a stalled reader's handshake crosses, and not the one of a wide pipeline.

References
----------
AMD UG912, USER_SLR_ASSIGNMENT; UG835, create_pblock and resize_pblock; UG1393, "--vivado Options";
UCLA-VAST/tapa, "Floorplan & DSE" and ``tapa/steps/floorplan.py`` (instance to slot).
"""

import json
from collections.abc import Iterator, Mapping

from streamopt.codegen.layout import DesignLayout
from streamopt.codegen.templates import fill
from streamopt.ir.scheduled import ScheduledGraph

FLOORPLAN = "floorplan.tcl"


def function_slrs(layout: DesignLayout, scheduled: ScheduledGraph) -> dict[str, int]:
    """Return the region of every function of the design, by number; none where that isn't said."""
    slrs = dict(scheduled.schedule.slrs)
    if not slrs:
        return {}
    found = {process.name: slrs[process.nodes[0].node.name] for process in layout.processes}
    for mover in layout.word_movers:
        found[mover.name] = array_slr(scheduled, mover.outside.array.name)
    return found


def array_slr(scheduled: ScheduledGraph, array: str) -> int:
    """Return the region of the node that touches an array of the boundary."""
    slrs = dict(scheduled.schedule.slrs)
    users = (n for n in scheduled.graph.nodes if array in (*n.inputs, *n.outputs))
    return next(slrs[node.name] for node in users)


def is_spread(scheduled: ScheduledGraph) -> bool:
    """Return whether a design is in several regions."""
    return len({slr for _, slr in scheduled.schedule.slrs}) > 1


def floorplan_tcl(layout: DesignLayout, scheduled: ScheduledGraph) -> Iterator[tuple[str, str]]:
    """Yield path and text of the script that puts instances into regions, of a spread design."""
    if not is_spread(scheduled):
        return
    cells = _cells(layout, function_slrs(layout, scheduled))
    lines = "\n".join(f"place SLR{slr} {{{name}}}" for name, slr in cells.items())
    regions = " ".join(f"SLR{slr}" for slr in sorted({*cells.values()}))
    yield FLOORPLAN, fill("floorplan.tcl", top=layout.top, regions=regions, cells=lines)


def linked_floorplan(scheduled: ScheduledGraph) -> tuple[str, ...]:
    """Return the lines of the linker's configuration that run the script."""
    if not is_spread(scheduled):
        return ()
    return ("", "[vivado]", f"prop=run.impl_1.STEPS.PLACE_DESIGN.TCL.PRE={FLOORPLAN}")


def tapa_floorplan(layout: DesignLayout, scheduled: ScheduledGraph) -> str:
    """Return TAPA's floorplan: a slot, one for each region, by the instance of a task."""
    slots = {
        f"{name}_0": f"SLOT_X0Y{slr}:SLOT_X0Y{slr}"
        for name, slr in function_slrs(layout, scheduled).items()
    }
    return json.dumps(slots, indent=2) + "\n"


def _cells(layout: DesignLayout, slrs: Mapping[str, int]) -> dict[str, int]:
    """Return the region of every instance, by a regular expression of its name in the kernel."""
    found = {f"{name}_U0": slr for name, slr in slrs.items()}
    inside = {port.name for port in layout.channels}
    for process in layout.processes:
        for port in process.writes:
            if port.name in inside:
                found[f"{port.name}(_[0-9]+)*_U"] = slrs[process.name]
    for mover in layout.word_movers:
        for name in mover.stream.names:
            found[f"{name}_U"] = slrs[mover.name]
        for name in mover.outside.names:
            found[f"gmem_{name}_m_axi_U"] = slrs[mover.name]
    return found
