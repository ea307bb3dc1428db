"""Drawings of graphs: all that there is has its place and its words, and lines fit their boxes."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import streamopt as so
from streamopt.report.graph.drawing import graph_svg, scheduled_svg
from streamopt.report.graph.picture import (
    HEAD_PIXELS,
    LETTER,
    BoxKind,
    WireKind,
    graph_picture,
    scheduled_picture,
)
from streamopt.transforms.apply import apply
from tests.support.reported_design import small_graph, solved

if TYPE_CHECKING:
    from streamopt.report.graph.picture import Line

SVG = "{http://www.w3.org/2000/svg}"
LONG = "a_name_of_which_nobody_can_say_that_it_is_a_short_one"
FACTS = {"C": "II 1, 8 lanes, 40 DSPs", "D": "II 1, 1 lane, 3 DSPs", "Y": "II 2"}


def attribute(svg: str, name: str) -> set[str]:
    elements = ElementTree.fromstring(svg).iter()
    return {value for each in elements if (value := each.get(f"data-{name}")) is not None}


def test_a_graph_has_its_nodes_channels_and_arguments() -> None:
    graph = small_graph()
    svg = graph_svg(graph)
    assert attribute(svg, "node") == {node.name for node in graph.nodes}
    assert attribute(svg, "channel") == {edge.channel for edge in graph.edges}
    assert attribute(svg, "array") == {"A", "B", "Y"}
    assert "8×4 float" in svg
    assert graph_svg(graph) == svg


def test_what_no_schedule_streams_is_told_apart() -> None:
    lines = {line.name: line for line in graph_picture(small_graph()).lines}
    assert lines["C"].kind is WireKind.STREAM
    assert lines["D"].kind is WireKind.WHOLE


def test_a_schedule_has_kinds_widths_and_depths() -> None:
    scheduled = apply(small_graph(), solved().schedule)
    picture = scheduled_picture(scheduled, FACTS)
    lines: dict[str, Line] = {line.name: line for line in picture.lines if line.words}
    depth = scheduled.channel("C").depth_elems
    assert lines["C"].kind is WireKind.FIFO
    assert lines["C"].words[1].endswith(f" bit, {depth:,} deep")
    assert lines["D"].kind is WireKind.PING_PONG
    boxes = {box.key: box for box in picture.boxes}
    assert boxes["C"].lines == ("C", "II 1, 8 lanes", "40 DSPs")
    assert boxes["argument A"].kind is BoxKind.INPUT
    assert boxes["argument Y"].kind is BoxKind.OUTPUT
    assert [words for _, words in picture.legend] == ["FIFO", "ping-pong buffer"]
    svg = scheduled_svg(scheduled, FACTS)
    assert 'data-channel="C" data-from="C" data-to="D"' in svg


def test_arguments_say_banks_and_originals() -> None:
    graph = small_graph()
    schedule = solved().schedule
    scheduled = apply(replace(graph, copies=(("B", "A"),)), schedule)
    says = {box.key: box.says for box in scheduled_picture(scheduled, {}).boxes}
    banks = {each.array: prod(each.factors) for each in scheduled.partitions}
    assert banks["A"] > 1
    assert says["argument A"] == f"input A: 8×4 float in {banks['A']} banks"
    assert says["argument B"].endswith("a copy of A")


def test_long_names_are_shortened_and_told_in_full() -> None:
    p = so.dsl.program("long")
    (i,) = p.iterators(i=4)
    a = p.input(LONG, 4)
    p.output("out", (i,), a[i] * 2.0)
    graph = so.dataflow(p.build())
    svg = graph_svg(graph)
    texts = [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    titles = [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert LONG not in texts
    assert any("…" in text for text in texts)
    assert any(LONG in title for title in titles)
    for box in graph_picture(graph).boxes:
        assert max(map(len, box.lines)) * LETTER * HEAD_PIXELS < box.size[0]


def test_it_needs_nothing_and_clashes_with_nothing() -> None:
    svg = graph_svg(small_graph())
    assert not re.search(r"\bid=|url\(|href|script", svg)
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "group"
    assert root.get("aria-label") == "Dataflow graph small: 3 nodes, 2 channels"
    symbols = [each for each in root.iter(f"{SVG}g") if each.get("data-node")]
    assert all(each.get("aria-label") and each.find(f"{SVG}title") is not None for each in symbols)


def test_words_are_escaped() -> None:
    svg = scheduled_svg(apply(small_graph(), solved().schedule), {"C": 'II < 2 & "so"'})
    assert "II &lt; 2 &amp; &quot;so&quot;" in svg
