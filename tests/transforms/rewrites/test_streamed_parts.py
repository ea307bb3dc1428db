"""Arrays that come in a part of a node's iterations: joined, padded, under a sum."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.codegen.backends import vitis
from streamopt.errors import LegalityError
from streamopt.ir.schedule import ChannelKind, Schedule
from streamopt.space.assemble import assemble
from streamopt.space.tiles import Coupling, tile_classes
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from streamopt.verification.project import write_project
from streamopt.verification.verify import verify_project
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

FORM = ("stream_windows",)
TWO = {
    "left": "c 4, h 6, w 4: a[c][h][w] = x[h][w] + 1",
    "right": "c 2, h 6, w 4: b[c][h][w] = x[h][w] * 2",
}
PARTS = {"x": "input 6 4", "a": "internal 4 6 4", "b": "internal 2 6 4"}
BOTH = "a[c][h][w] if c < 4 else b[c - 4][h][w]"
JOINED = program(
    PARTS | {"s": "internal 6 6 4", "y": "output 6 6 4"},
    TWO | {"read": f"c 6, h 6, w 4: s[c][h][w] = {BOTH}",
           "act": "c 6, h 6, w 4: y[c][h][w] = max(s[c][h][w], 0)"},
    name="joined",
)  # fmt: skip
SUMMED = program(
    PARTS | {"k": "weight 3 6", "y": "output 3 6 4"},
    TWO | {"read": f"o 3, h 6, w 4, c 6: y[o][h][w] += k[o][c] * ({BOTH})"},
    name="summed",
)
PADDED = program(
    {"x": "input 6 4", "a": "internal 6 4", "y": "output 8 8"},
    {"left": "h 6, w 4: a[h][w] = x[h][w] + 1",
     "read": "h 8, w 8: y[h][w] = a[h - 1][w - 2] if h >= 1 and h < 7 and w >= 2 and w < 6 else 0"},
    name="padded",
)  # fmt: skip
SINGLE = program(
    {"x": "input 6 4", "a": "internal 1 6 4", "b": "internal 1 6 4", "y": "output 2 6 4"},
    {"left": "h 6, w 4: a[0][h][w] = x[h][w] + 1", "right": "h 6, w 4: b[0][h][w] = x[h][w] * 2",
     "read": "c 2, h 6, w 4: y[c][h][w] = a[0][h][w] if c < 1 else b[c - 1][h][w]"},
    name="single",
)  # fmt: skip


def scheduled(graph: Graph, seed: int) -> Schedule:
    """Return random lanes, and one random order for all nodes, their reductions anywhere."""
    choose = Random(seed)
    order = choose.sample(["c", "h", "w"], 3)
    orders: dict[str, tuple[str, ...]] = {}
    for node in graph.nodes:
        names = [name for name in order if name in node.trip_counts]
        for name in node.trip_counts.keys() - {*names}:
            names.insert(choose.randint(0, len(names)), name)
        orders[node.name] = tuple(names)
    classes = tile_classes(graph, 1, tiles=True, coupling=Coupling.PLAIN)
    drawn = {group: choose.choice(group.factors) for group in classes}
    lanes = {key: factor for group, factor in drawn.items() for key in group.members}
    factors = {n.name: [lanes[n.name, loop.name] for loop in n.loops] for n in graph.nodes}
    return replace(assemble(graph, orders, factors), rewrites=FORM)


@pytest.mark.parametrize("source", [JOINED, SUMMED, PADDED, SINGLE], ids=lambda own: own.name)
def test_any_order_streams(source: Program, tmp_path: Path) -> None:
    graph = rewritten(canonicalize(source), FORM)
    assert graph.node("read").parts
    schedules = [scheduled(graph, seed) for seed in range(4)]
    for schedule in schedules:
        assert all(channel.kind is ChannelKind.FIFO for channel in schedule.channels)
        found = so.evaluate(source, schedule)
        assert found.predicted is not None
        assert abs(found.trace.cycles - found.predicted.latency_cycles) <= 10
    write_project(
        vitis.emit(apply(canonicalize(source), schedules[-1])), source, tmp_path / "design"
    )
    verify_project(tmp_path / "design", source).raise_if_failed()


def test_lanes_are_of_one_part() -> None:
    graph = rewritten(canonicalize(JOINED), FORM)
    orders = {node.name: ("h", "w", "c") for node in graph.nodes}
    factors = {"left": [3, 1, 1], "right": [1, 1, 1], "read": [3, 1, 1], "act": [3, 1, 1]}
    schedule = replace(assemble(graph, orders, factors), rewrites=FORM)
    with pytest.raises(LegalityError, match=r"E310.* takes a in iterations 0 to 3 of loop c"):
        apply(canonicalize(JOINED), schedule)


@pytest.mark.parametrize(
    "read",
    [
        "i 6: y[i] = a[i + 2]",
        "i 8: y[i] = a[7 - i]",
        "i 6: y[i] = a[i] + a[i + 2]",
    ],
    ids=["skipped", "backwards", "several"],
)
def test_others_need_more(read: str) -> None:
    extent = 8 if "i 8" in read else 6
    arrays = {"x": "input 8", "a": "internal 8", "y": f"output {extent}"}
    source = program(arrays, {"first": "i 8: a[i] = x[i] + 1", "read": read}, name="others")
    assert not rewritten(canonicalize(source), FORM).node("read").parts
