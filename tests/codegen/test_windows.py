"""Line buffers in emitted text: banks that are known beforehand, one read and one write of each."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.codegen.checks import check_text
from streamopt.ir.schedule import ChannelKind
from streamopt.space.assemble import assemble
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.sketches import plans, program
from tests.support.random.windows import window_chain
from tests.support.window_schedules import WINDOWS, window_schedule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.program import Program


def text_of(order: str, unroll: str, reader: str, height: int = 8) -> str:
    """Return the C++ of a copy of an image of 8 x 12 that one node reads through a window."""
    source = program(
        {"x": "input 8 12", "t": "internal 8 12", "y": f"output {height} 12"},
        {"copy": "i 8, j 12: t[i][j] = x[i][j] + 1", "read": reader},
        name="image",
    )
    graph = rewritten(so.dataflow(source), WINDOWS)
    lanes: Mapping[str, str] = {"read": unroll, "copy": "j 4" if "w 4" in unroll else ""}
    nodes = plans(graph, {"copy": "i j", "read": order}, lanes)
    base = assemble(
        graph,
        {node.node: node.order for node in nodes},
        {node.node: [factor for _, factor in node.unroll] for node in nodes},
    )
    assert all(plan.kind is ChannelKind.FIFO for plan in base.channels)
    return so.emit(so.dataflow(source), replace(base, rewrites=WINDOWS)).text("image.cpp")


BOX = (
    "h 8, w 12, m 3, n 3: y[h][w] += (t[h + m - 1][w + n - 1] if h + m >= 1 and h + m < 9 "
    "and w + n >= 1 and w + n < 13 else 0)"
)


def declared(text: str) -> str:
    found = re.search(r"float t_lines((?:\[\d+\])+);", text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("order", "unroll", "shape"),
    [
        # a bank for each of 3 columns, rows one after another in it
        ("h w m n", "n 3", "[3][12][4]"),
        # rows in banks of their own, 4 + 2 columns at once, 3 words of 4 lanes
        ("h w m n", "w 4, m 3, n 3", "[4][6][3]"),
        # taps that aren't lanes choose among 4 + 2 columns
        ("h w m n", "w 4", "[6][3][4]"),
        # a row at a time, one element at a time, with a word beside it for each border
        ("h w m n", "", "[14][4]"),
    ],
)
def test_each_place_that_is_read_at_once_has_a_bank(order: str, unroll: str, shape: str) -> None:
    text = text_of(order, unroll, BOX)
    assert declared(text) == shape
    assert not [found for found in check_text(text) if found.code in ("E610", "E621", "E623")]


def image_text(channels: int, width: int, unroll: str) -> str:
    """Return the C++ of a copy of an image of 6 rows that one node reads through three of them."""
    extents, loops = f"{channels} 6 {width}", f"c {channels}, h 6, w {width}"
    source = program(
        {"x": f"input {extents} int8_t", "t": f"internal {extents} int8_t",
         "y": f"output {extents} int32_t"},
        {"copy": f"{loops}: t[c][h][w] = int8_t(x[c][h][w] + 1)",
         "read": f"{loops}, m 3: y[c][h][w] += t[c][h + m - 1][w] if h + m >= 1 and h + m < 7 "
         "else 0"},
        name="image",
    )  # fmt: skip
    graph = rewritten(so.dataflow(source), WINDOWS)
    lanes = {"read": unroll, "copy": unroll}
    nodes = plans(graph, {"copy": "h w c", "read": "h w c m"}, lanes)
    base = assemble(
        graph,
        {node.node: node.order for node in nodes},
        {node.node: [factor for _, factor in node.unroll] for node in nodes},
    )
    return so.emit(so.dataflow(source), replace(base, rewrites=WINDOWS)).text("image.cpp")


@pytest.mark.parametrize(
    ("channels", "width", "shape"),
    [(4, 11, "[11][4][4]"), (11, 4, "[11][4][4]"), (6, 8, "[6][8][4]"), (11, 13, "[11][13][4]")],
)
def test_the_extent_of_most_digits_is_no_factor_of_an_address(
    channels: int, width: int, shape: str
) -> None:
    assert f"int8_t t_lines{shape};" in image_text(channels, width, "")


def test_lanes_of_channels_lie_side_by_side() -> None:
    text = image_text(4, 6, "c 4")
    assert "array_reshape variable=t_lines type=cyclic factor=4 dim=1" in text
    assert not [found for found in check_text(text) if found.code in ("E610", "E621", "E623")]


def test_the_tool_is_told_when_a_row_is_read_at_the_earliest() -> None:
    text = text_of("h w m n", "w 4, m 3, n 3", BOX)
    # 3 tiles a row, of which the next row reads the last column of a tile in the one before
    assert "dependence variable=t_lines type=inter direction=RAW distance=2 dependent=true" in text


def chain_text(source: Program, place: int) -> str:
    graph = rewritten(so.dataflow(source), WINDOWS)
    schedule = window_schedule(graph, place)
    return so.emit(so.dataflow(source), schedule).text("windows.cpp")


@pytest.mark.parametrize("seed", range(8))
def test_banks_of_random_chains_are_known_beforehand(seed: int) -> None:
    text = chain_text(window_chain(Random(seed), layers=1 + seed % 3), seed)
    found = [str(one) for one in check_text(text) if one.code in ("E610", "E621", "E623")]
    assert not [one for one in found if "_lines" in one or "_window" in one or "column" in one]
