"""Values print in at most one line a part, the same text every time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamopt as so
from streamopt import dsl
from streamopt.ir.element import ElementType
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from streamopt.transforms.rewrites import rewritten

if TYPE_CHECKING:
    from pathlib import Path


def two_nodes() -> so.Program:
    p = dsl.program("two")
    i, j, k = p.iterators(i=6, j=4, k=8)
    a, b = p.input("A", 6, 8), p.weight("B", 8, 4, element="int8_t")
    c = p.compute("C", (i, j), dsl.sum(k, a[i, k] * dsl.cast(b[k, j], ElementType.FLOAT)))
    p.output("Y", (i, j), dsl.relu(c[i, j]))
    return p.build()


def lines(value: object) -> list[str]:
    return str(value).splitlines()


def test_program_and_graph() -> None:
    arrays = [
        "input A[6][8]: float",
        "weight B[8][4]: int8_t",
        "internal C[6][4]: float",
        "output Y[6][4]: float",
        "C: i 6, j 4, k 8: C[i][j] += A[i][k] * float(B[k][j])",
        "Y: i 6, j 4: Y[i][j] = relu(C[i][j])",
    ]
    program = two_nodes()
    assert lines(program) == ["program two", *arrays]
    channel = "channel C: C -> Y reads C[i][j]"
    assert lines(so.dataflow(program)) == ["graph two", *arrays, channel]


def test_schedule_and_scheduled_graph() -> None:
    graph = so.dataflow(two_nodes())
    built = ((Operator.ADD, Implementation.FABRIC),)
    schedule = Schedule(
        "two",
        (
            NodePlan("C", ("i", "k", "j"), (("i", 1), ("j", 3), ("k", 1)), built, 2),
            NodePlan("Y", ("i", "j"), (("i", 1), ("j", 3))),
        ),
        (ChannelPlan("C", ChannelKind.FIFO, 5),),
    )
    outside = replace(schedule, ports=(PortPlan("A", PortKind.AXI, ("HBM[0]",)),))
    assert lines(outside) == [
        "schedule of two",
        "C: i, k, j x 3; add in fabric; ii 2",
        "Y: i, j x 3",
        "channel C: fifo of 5",
        "port A: m_axi HBM[0]",
    ]
    assert lines(apply(graph, schedule)) == [
        "scheduled graph two",
        "C: i 6, k 8, j 2 x 3 (last 1): C[i][j] += A[i][k] * float(B[k][j])",
        "Y: i 6, j 2 x 3 (last 1): Y[i][j] = relu(C[i][j])",
        "channel C: C -> Y, 1 x 3 fifo of 5",
        "partition B: 1 x 3",
        "partition Y: 1 x 3",
    ]


def test_network() -> None:
    graph = so.dataflow(two_nodes())
    plans = (
        NodePlan("C", ("i", "j", "k"), (("i", 1), ("j", 2), ("k", 1))),
        NodePlan("Y", ("i", "j"), (("i", 1), ("j", 2))),
    )
    schedule = Schedule("two", plans, (ChannelPlan("C", ChannelKind.PING_PONG),))
    printed = lines(lower(apply(graph, schedule)))
    assert printed[:5] == [
        "network two",
        "argument A[6][8]: float",
        "argument B[8][4]: int8_t, factors 1 x 2",
        "argument Y[6][4]: float, factors 1 x 2",
        "ping_pong C[6][4]: float, factors 1 x 2",
    ]
    assert printed[-2:] == [
        "process Y",
        "  Y: i 6, j 2; lanes j.lane 2; v0 = C[i][2*j + j.lane], Y[i][2*j + j.lane] = t0; "
        "t0 = max<float>(v0, 0.0)",
    ]


UPDATE = """\
void f(float a[8][8], float b[8]) {
  for (int i = 1; i < 8; i++)
    for (int j = 0; j < 8; j++) a[i][j] += a[i - 1][j] * b[i];
}
"""


def test_sequential_nodes(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(UPDATE)
    assert lines(so.dataflow(path))[-1] == (
        "a_out_update: sequential i 7, j 8: a_out = a; "
        "a_out[i + 1][j] = a_out[i + 1][j] + a_out[i][j] * b[i + 1]"
    )


def test_scalars() -> None:
    p = dsl.program("scalars")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4)
    total = p.compute("total", (), dsl.sum(i, x[i]))
    p.output("scaled", (), x[0] * total)
    assert lines(p.build())[2:] == [
        "internal total: float",
        "output scaled: float",
        "total: i 4: total += x[i]",
        "scaled: scaled = x[0] * total",
    ]


def test_windows() -> None:
    p = dsl.program("image")
    h, w, k = p.iterators(h=6, w=6, k=3)
    r, c = p.iterators(r=8, c=6)
    t = p.compute("t", (r, c), p.input("x", 8, 6)[r, c] + 1)
    p.output("y", (h, w), dsl.sum(k, t[h + k, w]))
    graph = rewritten(so.dataflow(p.build()), ["stream_windows"])
    assert str(graph.node("y")) == (
        "y: h 6, w 6, k 3: y[h][w] += t[h + k][w]; window of 4 rows on t[h][w]; "
        "h 9 as built, 3 late"
    )
