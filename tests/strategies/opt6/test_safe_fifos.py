"""A design is judged with the FIFOs that it gets at the end: those that no pipeline has to help."""

from dataclasses import replace

import streamopt as so
from streamopt.evaluation.design import built_resources
from streamopt.evaluation.fifo_sizing import FifoSizing, sized
from streamopt.space.assemble import assemble, evaluate
from streamopt.strategies.opt6.simulated_design import Region, judged
from streamopt.strategies.resources.budgeted import Chosen
from streamopt.target.device import Target
from streamopt.target.resources import Fit
from tests.support.programs.sketches import program

ROWS = {
    "twice": "i 16, j 40: x[i][j] = a[i][j] + a[i][j]",
    "ratio": "i 16, j 40: u[i][j] = x[i][j] / (x[i][j] + x[i][j])",
    "sum": "i 16, j 40: s[i] += x[i][j]",
    "scale": "i 16, j 40: y[i][j] = u[i][j] * s[i]",
}
"""Whose ratios wait in a deep pipeline until the row has its sum."""


def test_fifos_hold_what_deep_pipelines_held_while_others_waited() -> None:
    shapes = {"x": "internal 16 40 int32_t", "u": "internal 16 40 int32_t"}
    shapes |= {"s": "internal 16 int32_t", "y": "output 16 40 int32_t"}
    source = program({"a": "input 16 40 int32_t", **shapes}, ROWS)
    graph, on = so.dataflow(source), Target.named("u280", 5.0)
    orders = {node.name: tuple(node.trip_counts) for node in graph.nodes}
    schedule = assemble(graph, orders, {name: [1, 1] for name in orders})
    chosen = Chosen(schedule, evaluate(graph, schedule).latency_cycles, 0, 0)
    limits = on.budget(Fit.DEVICE)
    design = judged(graph, (), chosen, Region(on, limits, Fit.DEVICE), sizes_fifos=True)
    safe = design.with_safe_fifos(limits)
    assert safe.used.luts > design.used.luts
    last = built_resources(graph, sized(graph, schedule, FifoSizing(on=on))[0], on)
    assert safe.used.luts == last.luts
    tight = replace(limits, luts=last.luts - 1)
    assert not design.with_safe_fifos(tight).is_within
