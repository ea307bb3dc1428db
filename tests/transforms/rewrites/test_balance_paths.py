"""Arrays that pass by a longer path go through copies, and frames follow each other faster."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import streamopt as so
from streamopt.ir.graph import SequentialNode
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from streamopt.transforms.rewrites.balance_paths import levels
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch

NAMES = ("balance_paths",)
SHORTCUT = sketch(
    {"x": "input 9 5", "a": "internal 9 5", "b": "internal 9 5", "y": "output 9 5"},
    {
        "first": "i 9, j 5: a[i][j] = x[i][j] * 2",
        "second": "i 9, j 5: b[i][j] = a[i][4 - j] + 1",
        "third": "i 9, j 5: y[i][j] = a[8 - i][j] * b[i][j]",
    },
)
"""Figure 8 (a) of HIDA's paper."""


def ping_pong(name: str, rewrites: tuple[str, ...]) -> Schedule:
    graph = rewritten(canonicalize(SHORTCUT), rewrites)
    plans = [
        NodePlan(n.name, tuple(n.trip_counts), tuple((loop, 1) for loop in n.trip_counts))
        for n in graph.nodes
    ]
    channels = [ChannelPlan(edge.channel, ChannelKind.PING_PONG) for edge in graph.edges]
    return Schedule(name, tuple(plans), tuple(channels), rewrites)


def test_levels_go_down_by_one() -> None:
    graph = rewritten(canonicalize(SHORTCUT), NAMES)
    assert levels(graph) == {"first": 2, "copy_a": 1, "second": 1, "third": 0}


def test_frames_follow_faster() -> None:
    """Without the copy the first node waits for the third: three nodes share two buffers."""
    graph = canonicalize(SHORTCUT)
    plain, balanced = (
        so.evaluate(graph, ping_pong(graph.name, names), frames=6).trace for names in ((), NAMES)
    )
    ends = {trace: trace.processes[-1].ends for trace in (plain, balanced)}
    apart = {trace: [b - a for a, b in pairwise(ends[trace])] for trace in ends}
    (cycles,) = set(apart[balanced])
    assert cycles == min(apart[plain])
    assert sum(apart[plain]) > 1.3 * sum(apart[balanced])
    assert ends[plain][0] == ends[balanced][0]


def test_a_sequential_reader_begins_with_a_copy() -> None:
    source = sketch(
        {"x": "input 4", "a": "internal 4", "b": "internal 4", "y": "output 4"},
        {
            "one": "i 4: a[i] = x[i] * 2",
            "two": "i 4: b[i] = a[3 - i]",
            "three": "i 4: y[i] = y[i] + b[i]",
        },
    )
    *nests, last = source.nests
    source = replace(source, nests=(*nests, replace(last, sequential=True, carries=(("y", "a"),))))
    graph = rewritten(canonicalize(source), NAMES)
    check_same(source, graph)
    node = graph.node("three")
    assert isinstance(node, SequentialNode)
    assert node.carries == (("y", "a_copy"),)
