"""Windows on inputs that a port brings as a stream."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.ir.schedule import Schedule
from streamopt.space.assemble import assemble
from streamopt.transforms.apply import planned_graph
from streamopt.transforms.ports.movers import with_movers
from streamopt.transforms.rewrites import INPUTS, PREFILL, rewritten
from tests.support.programs.sketches import program as sketch

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph

BLUR_TWICE = sketch(
    {"x": "input 24 20 int8_t", "f": "weight 5 int8_t", "t": "internal 20 20 int32_t",
     "y": "output 18 20 int32_t"},
    {"first": "h 20, w 20, k 5: t[h][w] += x[h + k][w] * f[k]",
     "second": "h 18, w 20, k 3: y[h][w] += t[h + k][w]"},
    name="blur_twice",
)  # fmt: skip
NAMES = ("stream_windows", INPUTS)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return so.dataflow(BLUR_TWICE)


@pytest.fixture(scope="module")
def schedule(graph: Graph) -> Schedule:
    """Return one with all loops in program order and no lanes."""
    moved = with_movers(rewritten(graph, NAMES), ("x", "y"))
    noted = rewritten(moved, NAMES)
    orders = {node.name: tuple(node.trip_counts) for node in noted.nodes}
    found = assemble(noted, orders, {node.name: [1] * len(node.loops) for node in noted.nodes})
    ports = so.plan_ports(graph, "memory", ports={"x": "axis", "y": "axis"})
    return replace(found, rewrites=NAMES, ports=ports)


def test_the_input_streams_through_a_line_buffer(graph: Graph, schedule: Schedule) -> None:
    assert schedule.fifos == {"x_chip", "t", "y_chip"}
    planned = planned_graph(graph, schedule)
    (window,) = planned.node("first").windows
    assert (window.array, window.rows) == ("x_chip", 8)
    assert planned.node("first").built_trip_counts == {"h": 25, "w": 20, "k": 5}


def test_rows_come_before_where_windows_on_inputs_leave_it() -> None:
    """Known only once there are movers: the window on the input has its rows along h."""
    graph = so.dataflow(
        sketch(
            {"x": "input 24 20", "t": "internal 20 20", "y": "output 20 18"},
            {"first": "h 20, w 20, k 5, l 3: t[h][w] += (x[h + k][w + l - 1] "
             "if w + l >= 1 and w + l < 21 else 0)",
             "second": "h 20, w 18, k 3: y[h][w] += t[h][w + k]"},
        )
    )  # fmt: skip
    ports = so.plan_ports(graph, "memory", ports={"x": "axis", "y": "axis"})
    plain, prefilled = (
        planned_graph(graph, Schedule(graph.name, (), (), rewrites=names, ports=ports))
        for names in (NAMES, (*NAMES, PREFILL))
    )
    assert prefilled == plain
    assert all(plain.node(name).windows for name in ("first", "second"))


def test_it_computes_the_same(graph: Graph, schedule: Schedule, tmp_path: Path) -> None:
    so.write(BLUR_TWICE, schedule, tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()


def test_it_changes_nothing_without_movers(graph: Graph, schedule: Schedule) -> None:
    alone = replace(schedule, rewrites=(INPUTS,), ports=())
    assert planned_graph(graph, alone) == graph
