"""Weights that no memory of a region can hold take time of its channels."""

from __future__ import annotations

from dataclasses import replace

import streamopt as so
from streamopt.strategies.opt6.weight_traffic import weight_traffic_cycles
from streamopt.target.device import Target
from tests.support.programs.sketches import program

TARGET = Target.named("vu9p", 5.0)
ELEMENTS = 64 * 64


def test_an_array_larger_than_the_blocks_of_a_kind_is_moved() -> None:
    graph = so.dataflow(
        program(
            {"x": "input 64", "k": "weight 64 64", "y": "output 64"},
            {"mix": "i 64, j 64: y[i] += k[i][j] * x[j]"},
        )
    )
    bits = ELEMENTS * graph.array("k").element.bits
    none = replace(TARGET.slr, bram18=0, uram=0, luts=0, ffs=0)
    held = replace(none, ffs=bits)
    part = replace(none, bram18=1, ffs=bits - 18 * 1024 - 64)
    chosen = so.plan_ports(graph, "memory", ports={"weights": "chosen"}, device=TARGET)
    resident = so.plan_ports(graph, "memory", ports={"weights": "resident"}, device=TARGET)
    port_cycles = -(-bits // 8 // 64)
    assert weight_traffic_cycles(graph, chosen, TARGET, none) == port_cycles
    assert weight_traffic_cycles(graph, chosen, TARGET, part) == port_cycles
    assert weight_traffic_cycles(graph, chosen, TARGET, held) == 0
    assert weight_traffic_cycles(graph, resident, TARGET, none) == 0
