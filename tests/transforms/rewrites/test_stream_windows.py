"""Windows on streams: what is noted, what is refused, and that nothing else changes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import LegalityError
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
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
