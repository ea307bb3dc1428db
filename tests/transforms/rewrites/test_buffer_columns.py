"""Windows that stay on ping-pong buffers, so that columns before them have lanes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import LegalityError
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import COLUMNS, rewritten
from tests.support.programs.sketches import plans
from tests.support.programs.sketches import program as sketch

if TYPE_CHECKING:
    from streamopt.ir.program import Program

NAMES = ("stream_windows", COLUMNS)


def pooled(columns: int) -> Program:
    """Return a convolution of so many columns, and a pool of two by two after it."""
    rows, half = 4, columns // 2
    return sketch(
        {"x": f"input {rows + 2} {columns + 2}", "f": "weight 3 3",
         "a": f"internal {rows + 2} {columns + 2}", "t": f"internal {rows} {columns}",
         "y": f"output 2 {half}"},
        {"scale": f"h {rows + 2}, w {columns + 2}: a[h][w] = x[h][w] * 2",
         "blur": f"h {rows}, w {columns}, k 3, l 3: t[h][w] += a[h + k][w + l] * f[k][l]",
         "pool": f"h 2, w {half}, m 2, n 2: y[h][w] += t[2 * h + m][2 * w + n]"},
    )  # fmt: skip


@pytest.mark.parametrize(("columns", "buffered"), [(10, ["pool"]), (12, [])])
def test_a_pool_that_leaves_no_lanes_reads_a_buffer(columns: int, buffered: list[str]) -> None:
    """12 and 10 columns and 5 results share no lanes; 14, 12 and 6 share two."""
    source = pooled(columns)
    streamed, found = (rewritten(canonicalize(source), NAMES[:count]) for count in (1, 2))
    assert [n.name for n in found.nodes if n.windows != streamed.node(n.name).windows] == buffered
    assert found.node("blur").windows
    plain = canonicalize(source)
    assert all(found.node(name) == plain.node(name) for name in buffered)


def test_columns_before_the_buffer_have_lanes() -> None:
    source = pooled(10)
    fifo, buffer = ChannelPlan("t", ChannelKind.FIFO, 40), ChannelPlan("t", ChannelKind.PING_PONG)
    graph = rewritten(canonicalize(source), NAMES)
    orders = {"scale": "h w", "blur": "h w k l", "pool": "h w m n"}
    nodes = plans(graph, orders, {"scale": "w 2", "blur": "w 2, l 3", "pool": ""})
    before = ChannelPlan("a", ChannelKind.FIFO, 36)
    made = Schedule(graph.name, nodes, (before, buffer), rewrites=NAMES)
    with pytest.raises(LegalityError, match="E310"):
        apply(canonicalize(source), replace(made, channels=(before, fifo), rewrites=NAMES[:1]))
    slow = replace(made, nodes=plans(graph, orders, {"blur": "l 3"}))
    found, plain = (so.evaluate(source, own).trace.process("blur") for own in (made, slow))
    assert found.ends[0] - found.starts[0] < 0.6 * (plain.ends[0] - plain.starts[0])
