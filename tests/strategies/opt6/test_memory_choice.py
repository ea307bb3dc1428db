"""Memories are in UltraRAM or LUTs where block RAMs don't suffice, in the design and in its C++."""

from __future__ import annotations

from dataclasses import replace

import streamopt as so
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.ports import RamBlock
from streamopt.space.assemble import assemble, evaluate
from streamopt.strategies.opt6.simulated_design import Region, judged
from streamopt.strategies.resources.budgeted import Chosen
from streamopt.target.device import Target
from streamopt.target.resources import Fit
from tests.support.programs.sketches import plans, program

SUM = "k 4, i 128, j 128: y[i][j] += x[k][i][j]"
"""Whose sum is outermost, so that 16,384 partial values are kept."""


def test_partial_sums_are_in_uram_where_block_rams_are_short() -> None:
    source = program({"x": "input 4 128 128", "y": "output 128 128"}, {"sum": SUM})
    graph, on = so.dataflow(source), Target.named("u280", 5.0)
    (node,) = plans(graph, {"sum": "k i j"}, {})
    schedule = assemble(graph, {"sum": node.order}, {"sum": [1, 1, 1]})
    chosen = Chosen(schedule, evaluate(graph, schedule).latency_cycles, 0, 0)
    wide = on.budget(Fit.DEVICE)
    alone, short = (
        judged(graph, (), chosen, Region(on, limits, Fit.DEVICE), sizes_fifos=True)
        for limits in (wide, replace(wide, bram18=8))
    )
    assert (alone.used.bram18, alone.used.uram) == (32, 0)
    assert (short.used.bram18, short.used.uram) == (0, 4)
    assert short.is_within
    found = short.built
    assert found.nodes[0].blocks == (("y_acc", RamBlock.URAM),)
    assert read_schedule_json(write_schedule_json(found), "s.json") == found
    pragma = "bind_storage variable=y_acc type=ram_2p impl=uram"
    assert pragma in so.emit(graph, found).text("sketch.cpp")
    assert pragma not in so.emit(graph, schedule).text("sketch.cpp")
    built = so.evaluate(graph, found, on)
    assert (built.resources.total.uram, built.trace.cycles) == (4, alone.cycles)
    few = replace(wide, bram18=8, uram=3)
    assert judged(graph, (), chosen, Region(on, few, Fit.DEVICE), sizes_fifos=True).used == (
        alone.used
    )


TURNED = {
    "rows": "i 20, j 16: x[i][j] = 2.0 * a[i][j]",
    "columns": "j 16, i 20: y[j][i] = x[i][j] + b[j][i]",
    "twice": "j 16, i 20: z[j][i] = x[i][j] + y[j][i]",
}
"""Of which columns wait for all rows, so that two buffers of 640 words lie between."""


def test_channels_are_in_luts_where_block_rams_are_short() -> None:
    shapes = {"x": "internal 20 16", "y": "internal 16 20", "z": "output 16 20"}
    source = program({"a": "input 20 16", "b": "input 16 20", **shapes}, TURNED)
    graph, on = so.dataflow(source), Target.named("u280", 5.0)
    orders = {node.name: tuple(node.trip_counts) for node in graph.nodes}
    schedule = assemble(graph, orders, {name: [1, 1] for name in orders})
    chosen = Chosen(schedule, evaluate(graph, schedule).latency_cycles, 0, 0)
    wide = on.budget(Fit.DEVICE)
    alone, half, none, few = (
        judged(graph, (), chosen, Region(on, limits, Fit.DEVICE), sizes_fifos=True)
        for limits in (
            replace(wide, uram=0),
            replace(wide, bram18=2, uram=0),
            replace(wide, bram18=0, uram=0),
            replace(wide, bram18=0, uram=0, luts=700),
        )
    )
    urams = judged(
        graph, (), chosen, Region(on, replace(wide, bram18=0), Fit.DEVICE), sizes_fifos=True
    )
    assert (urams.used.bram18, urams.used.uram, urams.used.luts) == (0, 2, alone.used.luts)
    assert alone.used.bram18 == 4
    assert half.used.bram18 == 2
    assert none.used.bram18 == 0
    assert alone.used.luts < half.used.luts < none.used.luts
    assert half.is_within
    assert none.is_within
    assert few.used == alone.used
    found = none.built
    assert [plan.block for plan in found.channels].count(RamBlock.LUTRAM) == 2
    assert read_schedule_json(write_schedule_json(found), "s.json") == found
    text = so.emit(graph, found).text("sketch.cpp")
    assert text.count("type=ram_2p impl=lutram") == 2
    assert "bind_storage" not in so.emit(graph, schedule).text("sketch.cpp")
    tool, built = (so.evaluate(graph, each, on) for each in (schedule, found))
    assert tool.resources.total.bram18 - built.resources.total.bram18 == 4
    assert built.trace.cycles == tool.trace.cycles
