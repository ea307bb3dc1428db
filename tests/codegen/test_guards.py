"""Conditions on tile and lane hold where those on the iteration do."""

from __future__ import annotations

import re

import pytest

from streamopt.codegen.processes.guards import LoopGuard, all_of
from streamopt.ir.scheduled import TiledLoop

LOOPS = [(1, 1), (7, 1), (6, 6), (12, 4), (11, 4), (9, 4), (17, 16)]


def _holds(text: str, tile: int, lane: int) -> bool:
    """Evaluate the C++ condition."""
    text = re.sub(r"\((\w+ < \d+) \? (\d+) : (\d+)\)", r"(\2 if \1 else \3)", text)
    python = text.replace("&&", "and").replace("||", "or") or "True"
    return bool(eval(python, {"t": tile, "l": lane}))


@pytest.mark.parametrize(("trip_count", "unroll"), LOOPS)
def test_conditions_on_tile_and_lane(trip_count: int, unroll: int) -> None:
    guard = LoopGuard(TiledLoop("i", trip_count, unroll), "t", "l")
    for tile in range(guard.loop.tiles):
        for lane in range(unroll):
            here = tile * unroll + lane
            assert _holds(guard.before(trip_count), tile, lane) == (here < trip_count)
            for place in range(trip_count):
                assert _holds(guard.at(place), tile, lane) == (here == place)
                assert _holds(guard.since(place), tile, lane) == (here >= place)
                if place:
                    assert _holds(guard.before(place), tile, lane) == (here < place)


def test_text() -> None:
    guard = LoopGuard(TiledLoop("i", 410, 28), "i_tile", "i_lane")
    assert guard.at(409) == "i_tile == 14 && i_lane == 17"
    assert guard.before(410) == "i_tile < 14 || i_lane < 18"
    assert guard.since(30) == "i_tile >= (i_lane < 2 ? 2 : 1)"
    assert all_of([guard.before(410), "", "k == 0"]) == "(i_tile < 14 || i_lane < 18) && k == 0"


def test_alternatives_are_bracketed() -> None:
    assert all_of(["p == 1", "(a && b) || (c)"]) == "p == 1 && ((a && b) || (c))"
    assert all_of(["(a || b)", "c"]) == "(a || b) && c"
