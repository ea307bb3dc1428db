"""What is left of a decision space under fixed decisions."""

from __future__ import annotations

import pytest

from streamopt import dsl
from streamopt.errors import InfeasibleError
from streamopt.pipeline import dataflow
from streamopt.space.assemble import plainest, violations
from streamopt.space.decisions import DecisionSpace, SpaceOptions, decision_space
from streamopt.space.fixed import Fixed
from streamopt.space.level import LEVELS, LevelName


def space(fixed: Fixed) -> DecisionSpace:
    p = dsl.program("product")
    i, j, k = p.iterators(i=32, j=32, k=32)
    a, b = p.input("A", 32, 32), p.input("B", 32, 32)
    c = p.compute("C", (i, j), dsl.sum(k, a[i, k] * b[k, j]))
    p.output("Y", (i, j), dsl.relu(c[i, j]))
    graph = dataflow(p.build())
    level = LEVELS[LevelName.OPT5]
    return decision_space(graph, SpaceOptions(level, dsp_limit=500, tiling_limit=16, fixed=fixed))


def test_orders_and_factors_are_the_fixed_ones() -> None:
    found = space(Fixed({"C": ("k", "i", "j")}, {("Y", "i"): 8}))
    assert found.orders["C"] == (("k", "i", "j"),)
    assert len(found.orders["Y"]) == 2
    shared = next(group for group in found.classes if ("C", "i") in group.members)
    assert ("Y", "i") in shared.members
    assert shared.factors == (8,)
    start = plainest(found)
    assert start.node("C").order == ("k", "i", "j")
    assert start.node("C").factors == {"i": 8, "j": 1, "k": 1}
    assert violations(found, start) == []


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        (Fixed({"D": ("i",)}), "E408 product has no node 'D'"),
        (Fixed({"C": ("i", "j")}), "E408 loop order i, j of C"),
        (Fixed({}, {("C", "m"): 2}), "E409 product has no loop 'm' of a node 'C'"),
        (Fixed({}, {("C", "i"): 33}), "E409 unroll factor 33 is too large"),
        (Fixed({}, {("C", "i"): 3}), "E409 unroll factor 3 doesn't divide"),
        (Fixed({}, {("C", "i"): 4, ("Y", "i"): 2}), "E409 loop i of C has unroll factor 4"),
    ],
)
def test_what_can_not_be_is_told(fixed: Fixed, message: str) -> None:
    with pytest.raises(InfeasibleError, match=message):
        space(fixed)
