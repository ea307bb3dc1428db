"""Windows on inputs that ports bring are tried before memories of them, where there are any."""

from __future__ import annotations

import pytest

import streamopt as so
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.opt6.choices import variants, with_boundary
from streamopt.strategies.problem import Problem
from streamopt.transforms.rewrites import INPUTS

DEVICE = so.device("u280")


def taps_of(taken: str) -> Problem:
    """Return a graph of a window on an input, or on what a node makes of it, with ports."""
    p = so.dsl.program("taps")
    h, a, m = p.iterators(h=8, a=20, m=5)
    x = p.input("x", 20)
    doubled = p.compute("doubled", (a,), x[a] + x[a])
    read = x if taken == "input" else doubled
    t = p.compute("t", (h,), so.dsl.sum(m, read[2 * h + m] * p.weight("k", 5)[m]))
    p.output("y", (h,), t[h] + (doubled[h] if taken == "input" else x[h]))
    graph = so.dataflow(p.build())
    ports = so.plan_ports(graph, "axis")
    return Problem(graph, SpaceOptions(LEVELS[LevelName.OPT6], 100), ports=ports)


@pytest.mark.parametrize("taken", ["input", "doubled"])
def test_they_come_first_where_ports_bring_an_input(taken: str) -> None:
    problem = taps_of(taken)
    tried = [*variants(problem.graph, streams_inputs=True)]
    assert [form for form in tried if INPUTS not in form[0]] == [*variants(problem.graph)]
    (first, form), (second, same) = tried[:2]
    assert first == (*second, INPUTS)
    assert form == same
    own, names = with_boundary(problem, first, form, DEVICE)
    plain, _ = with_boundary(problem, second, form, DEVICE)
    assert names == (first if taken == "input" else second)
    assert (own.graph != plain.graph) == (taken == "input")


def test_they_may_be_left_out() -> None:
    graph = taps_of("input").graph
    without = frozenset({INPUTS})
    assert [*variants(graph, without, streams_inputs=True)] == [*variants(graph)]
