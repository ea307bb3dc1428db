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


def test_a_shortcut_gets_a_copy() -> None:
    graph = rewritten(canonicalize(SHORTCUT), NAMES)
    check_same(SHORTCUT, graph)
    assert [node.name for node in graph.nodes] == ["first", "copy_a", "second", "third"]
    assert graph.node("second").inputs == ("a",)
    assert graph.node("third").inputs == ("a_copy", "b")
    assert levels(graph) == {"first": 2, "copy_a": 1, "second": 1, "third": 0}
    assert rewritten(graph, NAMES) is graph


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


def test_readers_far_off_share_copies() -> None:
    source = sketch(
        {
            "x": "input 4",
            **dict.fromkeys("abcd", "internal 4"),
            "y": "output 4",
            "copy_a": "output 4",
        },
        {
            "n1": "i 4: a[i] = x[i] * 2",
            "n2": "i 4: b[i] = a[3 - i] + 1",
            "n3": "i 4: c[i] = a[i] * b[3 - i]",
            "n4": "i 4: d[i] = c[3 - i] + a[i]",
            "n5": "i 4: y[i] = d[i] + a[i]",
            "n6": "i 4: copy_a[i] = b[i]",
        },
    )
    graph = rewritten(canonicalize(source), NAMES)
    check_same(source, graph)
    assert [node.name for node in graph.nodes if node.name.startswith("copy_a")] == [
        "copy_a_2",
        "copy_a_3",
        "copy_a_4",
    ]
    assert [graph.node(f"n{at}").inputs[-1] for at in (3, 4, 5)] == ["b", "a_copy_2", "a_copy_3"]
    assert all(
        levels(graph)[edge.producer] - levels(graph)[edge.consumer] == 1
        for edge in graph.edges
        if edge.consumer != "n6"
    )


def test_arrays_in_parts_stay() -> None:
    source = sketch(
        {"x": "input 4", "a": "internal 8", "b": "internal 4", "y": "output 4"},
        {
            "low": "i 4: a[i] = x[i]",
            "high": "i 4: a[i + 4] = x[3 - i]",
            "mid": "i 4: b[i] = a[2 * i] + 1",
            "end": "i 4: y[i] = a[i] * b[3 - i]",
        },
    )
    graph = canonicalize(source)
    assert rewritten(graph, NAMES) is graph


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
