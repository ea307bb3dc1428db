"""Windows on streams: what is noted, what is refused, and that nothing else changes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import LegalityError
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
from streamopt.ir.window import Stretch
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import plans
from tests.support.programs.sketches import program as sketch
from tests.support.random.windows import window_chain

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

ALONE = ("stream_windows",)
COPY = "i 8, j 6: t[i][j] = x[i][j] + 1"


def graph_of(reader: str, shape: str) -> Graph:
    """Return a copy of an image of 8 x 6 that one node reads."""
    arrays = {"x": "input 8 6", "t": "internal 8 6", "y": f"output {shape}"}
    return rewritten(canonicalize(sketch(arrays, {"copy": COPY, "read": reader})), ALONE)


@pytest.mark.parametrize(
    ("reader", "shape", "rows", "stretches"),
    [
        (  # the row that comes, and the three of the window
            "h 8, w 6, k 3: y[h][w] += t[h + k - 1][w] if h + k >= 1 and h + k < 9 else 0",
            "8 6", 4, [Stretch("h", 10, 2)],
        ),
        # without padding no row is added beyond those of the image, and columns are
        ("h 6, w 5, k 3, l 2: y[h][w] += t[h + k][w + l]", "6 5", 4,
         [Stretch("h", 9, 3), Stretch("w", 6)]),
        ("h 6, w 6, k 2: y[h][w] += t[h + 2 * k][w]", "6 6", 4, [Stretch("h", 9, 3)]),
        ("h 8, w 5: y[h][w] = t[h][w] + t[h][w + 1]", "8 5", 4, [Stretch("w", 7, 2)]),
        # what was read before needs no delay
        ("h 8, w 6: y[h][w] = t[h][w] if h < 1 else t[h - 1][w]", "8 6", 4,
         [Stretch("h", 9, 1)]),
        ("h 8, w 6: y[h][w] = t[h - 1][w] if h >= 1 else 0", "8 6", 2, []),
    ],
    ids=["padded", "valid", "dilated", "columns", "before and now", "before"],
)  # fmt: skip
def test_delay_and_ring(reader: str, shape: str, rows: int, stretches: list[Stretch]) -> None:
    graph = graph_of(reader, shape)
    (window,) = graph.node("read").windows
    assert window.rows == rows
    assert [*graph.node("read").stretches] == stretches
    assert graph.edges[0].reads == (window.taken,)


@pytest.mark.parametrize(
    ("reader", "shape"),
    [
        ("h 3, w 6, k 3: y[h][w] += t[2 * h + k][w]", "3 6"),
        ("h 8, w 6: y[h][w] = t[h][w]", "8 6"),
        ("h 6, w 6, k 3: y[h][w] += t[h + k][k]", "6 6"),
        ("h 2, w 6: y[h][w] = t[h][w] + t[h + 1][w]", "2 6"),
        ("h 6, w 6: y[h][w] = t[h][w] + t[w][h]", "6 6"),
        ("h 6, w 6, k 2: y[h][w] += t[w + k][h]", "6 6"),
    ],
    ids=["stride", "plain", "constant column", "slice", "turned", "ambiguous"],
)
def test_what_is_no_window(reader: str, shape: str) -> None:
    windows = graph_of(reader, shape).node("read").windows
    assert not windows or [w.row_loop for w in windows] == ["w"]


def test_arguments_stay() -> None:
    source = sketch(
        {"x": "input 8 6", "y": "output 6 6"},
        {"read": "h 6, w 6, k 3: y[h][w] += x[h + k][w]"},
    )
    assert not rewritten(canonicalize(source), ALONE).node("read").windows


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
