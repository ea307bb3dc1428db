"""Weights that are read again: as a whole, each time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.space.assemble import assemble
from streamopt.strategies.refinement.streamed_weights import streamed, with_streams
from streamopt.target.device import Target
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.schedule import Schedule

NAMES = ("stream_windows",)
LAYER = program(
    {
        "x": "input 4 6 6 int8_t", "f": "weight 3 4 3 3 int8_t", "p": "internal 4 6 6 int8_t",
        "t": "internal 3 4 4 int32_t", "y": "output 3 4 4 int32_t",
    },
    {
        "copy": "c 4, h 6, w 6: p[c][h][w] = x[c][h][w]",
        "conv": "o 3, h 4, w 4, c 4, i 3, j 3: t[o][h][w] += p[c][h + i][w + j] * f[o][c][i][j]",
        "end": "o 3, h 4, w 4: y[o][h][w] = t[o][h][w] + 1",
    },
    name="layer",
)  # fmt: skip
GRAPH = so.dataflow(LAYER)


def schedule_of(order: str, columns: int = 1) -> Schedule:
    form = rewritten(GRAPH, NAMES)
    orders = {
        node.name: tuple(name for name in order if name in node.trip_counts) for node in form.nodes
    }
    factors = {
        node.name: [columns if loop.name == "w" else 1 for loop in node.loops]
        for node in form.nodes
    }
    ports = so.plan_ports(GRAPH, "memory", ports={"f": "resident"})
    return replace(assemble(form, orders, factors), rewrites=NAMES, ports=ports)


def test_a_loop_of_weights_outside_of_one_that_reads_them_again_keeps_them_on_the_chip() -> None:
    assert streamed(GRAPH, schedule_of("howcij"), "f") is None


@pytest.mark.parametrize("columns", [1, 2])
def test_weights_that_are_read_again_are_the_same_each_time(tmp_path: Path, columns: int) -> None:
    """Lanes of a loop that reads them again take the same ones, which come once for all."""
    schedule = schedule_of("hwocij", columns)
    way = streamed(GRAPH, schedule, "f")
    assert way is not None
    assert way.again == ("h", "w")
    assert way.traffic_bytes == 4 * (4 // columns) * 3 * 4 * 3 * 3
    wanted = with_streams(GRAPH, schedule, {"f": way}, Target.named("vu9p"))
    so.write(LAYER, wanted, tmp_path / "project")
    so.verify(tmp_path / "project").raise_if_failed()
