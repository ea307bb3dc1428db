"""Windows on streams: what is noted, what is refused, and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.codegen.backends import vitis
from streamopt.errors import LegalityError
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
from streamopt.space.assemble import assemble
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from streamopt.verification.project import write_project
from streamopt.verification.verify import verify_project
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import plans
from tests.support.programs.sketches import program as sketch
from tests.support.random.windows import window_chain

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph

ALONE = ("stream_windows",)
COPY = "i 8, j 6: t[i][j] = x[i][j] + 1"


def graph_of(reader: str, shape: str) -> Graph:
    """Return a copy of an image of 8 x 6 that one node reads."""
    arrays = {"x": "input 8 6", "t": "internal 8 6", "y": f"output {shape}"}
    return rewritten(canonicalize(sketch(arrays, {"copy": COPY, "read": reader})), ALONE)


@pytest.mark.parametrize("seed", range(8))
def test_random_chains_compute_the_same(seed: int) -> None:
    source = window_chain(Random(seed))
    check_same(source, rewritten(canonicalize(source), ALONE))


def test_comes_last() -> None:
    graph = canonicalize(window_chain(Random(0)))
    with pytest.raises(LegalityError, match="E324"):
        rewritten(graph, ("stream_windows", "fold_copies"))


@pytest.mark.parametrize(
    ("order", "unroll"), [("k h w", ""), ("w h k", "h 2")], ids=["order", "rows at once"]
)
def test_rows_must_be_complete(order: str, unroll: str) -> None:
    reader = "h 8, w 6, k 3: y[h][w] += t[h + k - 1][w] if h + k >= 1 and h + k < 9 else 0"
    graph = graph_of(reader, "8 6")
    copy = {"copy": "j i" if order.startswith("w") else "i j"}
    both = {"copy": unroll.replace("h", "i"), "read": unroll}
    nodes = plans(graph, {**copy, "read": order}, both)
    deep = (ChannelPlan("t", ChannelKind.FIFO, 48),)
    with pytest.raises(LegalityError, match="E323"):
        apply(graph, Schedule(graph.name, nodes, deep))


@pytest.mark.parametrize("order", ["c h w k l", "h c w k l"])
def test_arrays_end_before_the_loop_outside_of_rows(order: str, tmp_path: Path) -> None:
    """Of two arrays side by side, a window takes the first by fewer iterations than there are."""
    joined = "a[c][2 * h + k][2 * w + l] if c < 3 else b[c - 3][2 * h + k][2 * w + l]"
    source = sketch(
        {"x": "input 8 8", "a": "internal 3 8 8", "b": "internal 2 8 8", "y": "output 5 4 4"},
        {"left": "c 3, h 8, w 8: a[c][h][w] = x[h][w] + 1",
         "right": "c 2, h 8, w 8: b[c][h][w] = x[h][w] * 2",
         "pool": f"c 5, h 4, w 4, k 2, l 2: y[c][h][w] = max(y[c][h][w], {joined})"},
        name="joined",
    )  # fmt: skip
    graph = rewritten(canonicalize(source), ALONE)
    orders = {node.name: tuple(node.trip_counts) for node in graph.nodes}
    orders |= {"pool": tuple(order.split())}
    if order.startswith("h"):
        orders |= {"left": ("h", "c", "w")}
    factors = {node.name: [1] * len(node.loops) for node in graph.nodes}
    schedule = replace(assemble(graph, orders, factors), rewrites=ALONE)
    assert schedule.channel("a").kind is ChannelKind.FIFO
    found = so.evaluate(source, schedule)
    assert found.predicted is not None
    assert abs(found.trace.cycles - found.predicted.latency_cycles) <= 1
    write_project(vitis.emit(apply(canonicalize(source), schedule)), source, tmp_path / "joined")
    verify_project(tmp_path / "joined", source).raise_if_failed()


@pytest.mark.parametrize(("taps", "banks"), [(1, 4), (2, 8)])
def test_only_places_and_words_that_are_read_are_kept(taps: int, banks: int) -> None:
    """Four lanes move by eight columns; the four that come at once are every second word."""
    arrays = {"x": "input 8 16", "t": "internal 8 16", "y": "output 4 8"}
    reader = f"h 4, w 8, k {taps}: y[h][w] += t[2 * h][2 * w + k]"
    copy = "i 8, j 16: t[i][j] = x[i][j] + 1"
    graph = rewritten(canonicalize(sketch(arrays, {"copy": copy, "read": reader})), ALONE)
    nodes = plans(
        graph, {"copy": "i j", "read": "h w k"}, {"copy": "j 4", "read": f"w 4, k {taps}"}
    )
    fifo = (ChannelPlan("t", ChannelKind.FIFO, 48),)
    of = apply(graph, Schedule(graph.name, nodes, fifo))
    (lines,) = (kept for node in of.nodes for kept in node.line_buffers)
    assert (lines.slots, lines.words) == ((banks,), (2,))
