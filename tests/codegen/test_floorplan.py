"""Floorplans say for every process of a project in which region it is, as its schedule does."""

from __future__ import annotations

import json
import re

import pytest

import streamopt as so
from streamopt.ir.schedule import Schedule
from streamopt.transforms.apply import planned_graph
from streamopt.transforms.ports.placed_schedule import placed
from tests.support.programs.sketches import program

CHAIN = {
    "twice": "i 8, j 16: b[i][j] = x[i][j] + x[i][j]",
    "left": "i 8, j 16: c[i][j] = b[i][j] + 1.0",
    "right": "i 8, j 16: y[i][j] = b[i][j] + c[i][j]",
}
SHAPES = {"x": "input 8 16", "b": "internal 8 16", "c": "internal 8 16", "y": "output 8 16"}
GRAPH = so.dataflow(program(SHAPES, CHAIN))
STANDS_IN = """
proc create_pblock {name} { set ::blocks($name) {} }
proc get_pblocks {args} {
    set name [lindex $args end]
    return [expr {[info exists ::blocks($name)] ? $name : {}}]
}
proc resize_pblock {block flag region} { lappend ::blocks($block) $region }
proc set_property {name value cells} {
    if {$name eq "USER_SLR_ASSIGNMENT"} { foreach cell $cells { lappend ::found $value $cell } }
}
proc add_cells_to_pblock {block cells} { foreach cell $cells { lappend ::held $block $cell } }
proc get_cells {args} {
    regexp {NAME =~ "(.*)"} [lindex $args end] whole pattern
    set found {}
    foreach cell $::cells { if {[regexp "^(?:$pattern)$" $cell]} { lappend found $cell } }
    return $found
}
"""
"""In the place of Vivado's commands; cells are those of ``cells``."""


def spread(interface: str) -> Schedule:
    """Return a schedule whose middle node, with relays before and behind, is in SLR1."""
    solved = so.solve(GRAPH, level="opt5", dsp=40).schedule
    schedule = so.put_outside(GRAPH, solved, so.plan_ports(GRAPH, interface))
    graph = planned_graph(GRAPH, schedule)
    found = placed(graph, schedule, {n.name: int(n.name == "left") for n in graph.nodes})
    return so.size_fifos(GRAPH, found)[0]


def instances(kernel: str, top: str) -> list[str]:
    """Return instances of the processes and streams that a kernel calls and declares."""
    body = kernel[kernel.rindex("#pragma HLS dataflow") :]
    processes = re.findall(r"^ *(\w+)\(", body, re.MULTILINE)
    streams = re.findall(r"^ *hls::stream<[^;]*> (\w+)((?:\[\d+\])*);", body, re.MULTILINE)
    names = [f"{name}_U0" for name in processes if name not in ("set_name",)]
    names += [f"{name}{'_0' * lanes.count('[')}_U" for name, lanes in streams]
    return [f"level0_i/ulp/{top}_1/inst/{name}" for name in names]


@pytest.mark.parametrize("interface", ["memory", "m_axi"])
def test_every_instance_is_placed_where_its_node_is(interface: str) -> None:
    schedule = spread(interface)
    design = so.emit(GRAPH, schedule)
    cells = instances(design.text(f"{design.top}.cpp"), design.top)
    assert len(cells) > 8
    shell = pytest.importorskip("tkinter").Tcl()
    shell.eval(STANDS_IN)
    shell.setvar("cells", " ".join(cells))
    shell.eval(design.text("floorplan.tcl"))
    words = shell.splitlist(shell.eval("set found"))
    slrs = dict(zip(words[1::2], words[::2], strict=True))
    assert {*slrs} == {*cells}
    held = shell.splitlist(shell.eval("set held"))
    blocks = dict(zip(held[1::2], held[::2], strict=True))
    assert {cell: block.rpartition("_")[2] for cell, block in blocks.items()} == slrs
    assert shell.eval(f"set blocks(pblock_{design.top}_SLR1)") == "SLR1"
    by_process = {cell.rpartition("/")[2].removesuffix("_U0"): slr for cell, slr in slrs.items()}
    for node, slr in schedule.slrs:
        assert by_process[node] == f"SLR{slr}"
    streams = {name: slr for name, slr in by_process.items() if name.endswith("_U")}
    assert {slr for name, slr in streams.items() if name.startswith("b_slr1")} == {"SLR1"}


def test_linker_runs_the_floorplan_and_kernels_are_not_kept_in_one_region() -> None:
    cfg = so.emit(GRAPH, spread("m_axi")).text("connectivity.cfg")
    prop = "prop=run.impl_1.STEPS.PLACE_DESIGN.TCL.PRE=floorplan.tcl"
    assert cfg.endswith(f"\n\n[vivado]\n{prop}\n")
    assert "slr=" not in cfg
    assert "sp=sketch_1.x:HBM[0]" in cfg
    streamed = so.emit(GRAPH, spread("axis")).text("connectivity.cfg")
    assert "slr=mm2s_x_1:SLR0\n" in streamed
    assert "slr=sketch_1" not in streamed


def test_design_in_one_region_needs_no_floorplan() -> None:
    solved = so.solve(GRAPH, level="opt5", dsp=40).schedule
    schedule = so.put_outside(GRAPH, solved, so.plan_ports(GRAPH, "m_axi"))
    graph = planned_graph(GRAPH, schedule)
    near = placed(graph, schedule, {node.name: 2 for node in graph.nodes})
    design = so.emit(GRAPH, near)
    assert "floorplan.tcl" not in dict(design.files)
    assert "slr=sketch_1:SLR2\n" in design.text("connectivity.cfg")


def test_tapa_has_a_slot_for_every_task() -> None:
    schedule = spread("m_axi")
    design = so.emit(GRAPH, schedule, backend="tapa")
    slots = json.loads(design.text("floorplan.json"))
    invoked = re.findall(r"\.invoke\((\w+)", design.text(f"{design.top}.cpp"))
    assert {*slots} == {f"{task}_0" for task in invoked}
    assert slots["left_0"] == "SLOT_X0Y1:SLOT_X0Y1"
    assert "--flatten-hierarchy --floorplan-path floorplan.json" in design.text("Makefile")
