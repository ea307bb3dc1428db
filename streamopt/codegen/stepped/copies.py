"""Copies between arrays outside a stepped node and the memories inside, many elements a cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.stepped.indices import IndexNames
from streamopt.codegen.stepped.lanes import LaneLoop, lanes_around
from streamopt.codegen.tree import CppStatement, For, If, pipelined
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamopt.codegen.stepped.memories import CppMemory
    from streamopt.codegen.tree import Item
    from streamopt.ir.program import Array
    from streamopt.ir.stepping.edges import FixedLane

TILE, LANE = ".tile", ".lane"
"""Behind the name of an iterator with lanes: its tile, and its lane."""


def copy_nest(
    array: Array,
    lanes: Sequence[int],
    unique: Callable[[str], str],
    body: Callable[[Access, IndexNames], Sequence[Item]],
) -> tuple[Item, ...]:
    """Return a pipelined nest over the elements of an array.

    Parameters
    ----------
    lanes
        By dimension.
    body
        From an element, over iterators, and their C++ names to the copy of it; names of tiles
        and lanes are among them.
    """
    names, tiles, loops = IndexNames({}, {}), list[tuple[str, int]](), list[LaneLoop]()
    ends: list[str] = []
    for at, (extent, count) in enumerate(zip(array.shape, lanes, strict=False)):
        iterator, tiled = f"d{at}", -(-extent // count)
        value, tile = Affine(), ""
        if tiled > 1:
            tile = unique(f"{iterator}_tile" if count > 1 else iterator)
            tiles.append((tile, tiled))
            value = Affine.iterator(tile).scaled(count)
        if count > 1:
            lane, whole = unique(f"{iterator}_lane"), unique(iterator)
            text = str(value + Affine.iterator(lane))
            number = Affine.iterator(tile) if tile else Affine()
            names = names.named(iterator + TILE, number, (0, tiled - 1))
            names = names.named(iterator + LANE, Affine.iterator(lane), (0, count - 1))
            loops.append(LaneLoop(lane, count, (CppStatement(f"const int {whole} = {text};"),)))
            value = Affine.iterator(whole)
            if extent % count:
                ends.append(f"{whole} < {extent}")
        names = names.named(iterator, value, (0, extent - 1))
    access = Access(array.name, tuple(Affine.iterator(f"d{at}") for at in range(len(array.shape))))
    inner = [*body(access, names)]
    if ends:
        inner = [If(all_of(ends), tuple(inner))]
    items: tuple[Item, ...] = (*lanes_around(loops, inner),)
    if tiles:
        items = (pipelined(1), *items)
    for tile, count in reversed(tiles):
        items = (For(tile, count, items),)
    return items


def copied_by(lane: FixedLane, memory: CppMemory, access: Access, names: IndexNames) -> str:
    """Return the C++ of the element that one lane of a copy brings."""
    tile = lane.loop + TILE
    return memory.placed_text(
        memory.held.lane_places(access, lane),
        names.named(lane.loop, names.values[tile], names.reach[tile]),
    )
