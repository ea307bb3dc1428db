"""Movers: what they carry over the boundary, and the schedules that are extended by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import LegalityError
from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.program import Role
from streamopt.ir.schedule import ChannelKind
from streamopt.space.assemble import assemble, baseline
from streamopt.target.device import Target
from streamopt.transforms.apply import apply, planned_graph
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.ports.movers import moved_arrays, mover_of, with_movers
from streamopt.transforms.ports.port_schedule import with_ports
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch
from tests.support.programs.sketches import scheduled

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

GRAPHS = Path(__file__).parents[3] / "graphs"


def crossing(graph: Graph) -> tuple[str, ...]:
    return tuple(a.name for a in graph.arrays if a.role is not Role.INTERNAL)


@pytest.mark.parametrize("kernel", ["polybench/atax", "polybench/gesummv", "mlps/residual_mlp"])
def test_graph_with_movers_computes_the_same(kernel: str) -> None:
    program = so.load(GRAPHS / f"{kernel}.json")
    graph = so.dataflow(program)
    moved = with_movers(graph, crossing(graph))
    check_same(program, moved)
    assert all(mover_of(moved, name) is not None for name in crossing(graph))
    assert with_movers(moved, crossing(graph)) == moved


def test_names_and_places_of_movers() -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench/atax.json"))
    moved = with_movers(graph, ("A", "y"))
    assert [node.name for node in moved.nodes] == ["load_A", "gemv", "gemv_transposed", "store_y"]
    assert str(moved.node("load_A").write) == "A_chip[i][j]"
    assert {edge.channel for edge in moved.edges} >= {"A_chip__gemv", "y_chip"}


def test_copy_that_the_program_has_is_a_mover() -> None:
    graph = so.dataflow(so.load(GRAPHS / "mlps/autoencoder.json"))
    weight = graph.node("fc1_transposed").inputs[0]
    assert mover_of(graph, weight) == graph.node("fc1_transposed")
    assert with_movers(graph, (weight,)) == graph


def test_schedule_keeps_its_decisions() -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench/atax.json"))
    schedule = so.solve(graph, effort=so.Effort(fifos=None)).schedule
    ports = tuple(PortPlan(name, PortKind.AXI) for name in crossing(graph))
    found = with_ports(graph, schedule, ports)
    for plan in schedule.nodes:
        assert found.node(plan.node) == plan
    for channel in schedule.channels:
        assert found.channel(channel.channel) == channel
    kinds = {channel.channel: channel.kind for channel in found.channels}
    assert kinds["x_chip"] is kinds["y_chip"] is ChannelKind.FIFO
    assert {kinds["A_chip__gemv"], kinds["A_chip__gemv_transposed"]} == set(ChannelKind)
    assert apply(graph, found).graph == with_movers(graph, crossing(graph))
    with pytest.raises(LegalityError, match="E302"):
        apply(graph, replace(found, ports=()))


def test_ports_that_are_none() -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench/gemm.json"))
    for wrong in (
        (PortPlan("AB", PortKind.AXI),),
        (PortPlan("Z", PortKind.STREAM),),
        (PortPlan("A", PortKind.AXI), PortPlan("A", PortKind.STREAM)),
    ):
        with pytest.raises(LegalityError, match=r"E331 port '(AB|Z|A)'"):
            moved_arrays(graph, wrong)
    assert moved_arrays(graph, (PortPlan("A", PortKind.MEMORY),)) == ()


def test_fifos_of_movers_hold_partial_tiles() -> None:
    """410 elements in lanes of 3 are 137 tokens of the first lane."""
    graph = so.dataflow(so.load(GRAPHS / "polybench/atax.json"))
    schedule = baseline(graph)
    wide = replace(schedule.node("gemv"), unroll=(("i", 1), ("j", 3)))
    nodes = tuple(wide if plan.node == "gemv" else plan for plan in schedule.nodes)
    found = with_ports(graph, replace(schedule, nodes=nodes), (PortPlan("x", PortKind.AXI),))
    plan = found.channel("x_chip")
    extent = graph.array("x").size_elems
    assert extent % 3
    assert (plan.kind, plan.depth_elems) == (ChannelKind.FIFO, -(-extent // 3))


def test_a_window_on_an_output_takes_from_what_is_on_the_chip() -> None:
    text = """{"schema_version": 1, "name": "tap",
     "arrays": {"x": {"shape": [4, 3], "role": "input"}, "a": {"shape": [4, 3], "role": "output"},
                "y": {"shape": [3, 3], "role": "output"}},
     "nodes": [{"name": "one", "loops": {"h": 4, "w": 3}, "body": ["a[h][w] = x[h][w] + 1"]},
               {"name": "two", "loops": {"h": 3, "w": 3},
                "body": ["y[h][w] = a[h][w] + a[h + 1][w]"]}]}"""
    graph = canonicalize(read_graph_json(text, "tap.json"))
    graph = rewritten(graph, ("stream_windows",))
    (window,) = graph.node("two").windows
    assert window.array == "a"
    moved = with_movers(graph, ("a",))
    assert [window.array for window in moved.node("two").windows] == ["a_chip"]
    order = {node.name: tuple(node.trip_counts) for node in moved.nodes}
    schedule = assemble(moved, order, {node.name: [1, 1] for node in moved.nodes})
    channel = next(edge.channel for edge in moved.edges if edge.consumer == "two")
    assert schedule.channel(channel).kind is ChannelKind.FIFO


FLAT = sketch(
    {
        "f": "input 4 3 5 int8_t", "W": "weight 8 60 int8_t", "b": "weight 61 int8_t",
        "g": "internal 4 3 5 int8_t", "y": "internal 8 int32_t", "z": "output 8 int32_t",
    },
    {
        "map": "c 4, h 3, w 5: g[c][h][w] = f[c][h][w] + b[15 * c + 5 * h + w]",
        "full": "i 8, c 4, h 3, w 5: y[i] += g[c][h][w] * W[i][15 * c + 5 * h + w]",
        "end": "i 8: z[i] = y[i] + 1",
    },
    name="flat",
)  # fmt: skip


def test_digits_of_a_subscript_are_dimensions_on_the_chip(tmp_path: Path) -> None:
    """A full layer behind a convolution; of ``b`` a part is read, so it waits in a buffer."""
    graph = so.dataflow(FLAT)
    unroll = {"full": "i 2, h 3", "map": "h 3", "end": "i 2"}
    done = scheduled(FLAT, {"full": "c h w i"}, unroll).schedule
    ports = so.plan_ports(graph, ports={"weights": "m_axi"}, device=Target.named("u280"))
    schedule = with_ports(graph, done, ports)
    planned = planned_graph(graph, schedule)
    assert planned.array("W_chip").shape == (8, 4, 3, 5)
    assert planned.array("b_chip").shape == (61,)
    assert mover_of(planned, "W") == planned.node("load_W")
    assert with_movers(planned, ["W"]) == planned
    kinds = {c.channel: c.kind for c in schedule.channels}
    assert kinds["W_chip"] is ChannelKind.FIFO
    assert kinds["b_chip"] is ChannelKind.PING_PONG
    assert schedule.node("load_W").order == ("c", "h", "w", "i")
    check_same(FLAT, planned)
    for backend in ("vitis", "native"):
        so.write(FLAT, schedule, tmp_path / backend, backend=backend)
        assert so.verify(tmp_path / backend).passed
