"""Copies of arrays into the memories of a sequential node, and out of them, as pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.network import AccessMode, PartialTile, Pipeline, Port
from streamopt.ir.program import Loop
from streamopt.transforms.stepped.tile_loops import LANE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.network import Memory
    from streamopt.ir.stepping.edges import FixedLane
    from streamopt.ir.stepping.stepped import HeldArray, Transfer


@dataclass(frozen=True, slots=True)
class _CopyLoops:
    """Tile loops and lanes over the elements of an array."""

    tiles: tuple[Loop, ...]
    lanes: tuple[Loop, ...]
    place: tuple[Affine, ...]
    partial: tuple[PartialTile, ...]


def _copy_loops(shape: tuple[int, ...], counts: tuple[int, ...]) -> _CopyLoops:
    tiles: list[Loop] = []
    lanes: list[Loop] = []
    place: list[Affine] = []
    partial: list[PartialTile] = []
    for at, (extent, count) in enumerate(zip(shape, counts, strict=True)):
        tile, lane, number = f"d{at}", f"d{at}{LANE}", -(-extent // count)
        subscript = Affine()
        if number > 1 or count == 1:
            tiles.append(Loop(tile, number))
            subscript = Affine.iterator(tile).scaled(count)
        if count > 1:
            lanes.append(Loop(lane, count))
            subscript += Affine.iterator(lane)
        if extent % count:
            partial.append(PartialTile(tile, lane, number - 1, extent - (number - 1) * count))
        place.append(subscript)
    return _CopyLoops(tuple(tiles), tuple(lanes), tuple(place), tuple(partial))


def _pipeline(name: str, loops: _CopyLoops, ports: tuple[Port, ...]) -> Pipeline:
    return Pipeline(name, loops.tiles, loops.lanes, ports, (), partial_tiles=loops.partial)


def bring(
    name: str,
    source: Memory,
    targets: Sequence[tuple[Memory, HeldArray]],
    transfer: Transfer,
) -> Pipeline:
    """Return the copy of an array into memories: of each, the elements that it has at the start."""
    loops = _copy_loops(source.shape, transfer.lanes)
    named = {f"d{at}": subscript for at, subscript in enumerate(loops.place)}
    access = ir.Access(transfer.array, loops.place)
    ports = [Port(AccessMode.READ, source.name, loops.place, "element")]
    tiled = {tile.name for tile in loops.tiles}
    for target, held in targets:
        guard = None if held.start is None else ir.substitute_condition(held.start, named)
        places, lane = held.places(access), held.only_lane(transfer.lanes)
        if lane is not None:
            element = ir.Access(transfer.array, tuple(map(Affine.iterator, named)))
            tile = Affine.iterator(lane.loop) if lane.loop in tiled else Affine()
            own = named | {lane.loop: tile}
            places = tuple(p.substitute(own) for p in held.lane_places(element, lane))
            guard = of_lane(lane, ir.CompareOp.EQ)
        ports.append(Port(AccessMode.WRITE, target.name, places, "element", guard))
    return _pipeline(name, loops, tuple(ports))


def hand(
    name: str, source: tuple[Memory, HeldArray], target: Memory, transfer: Transfer
) -> Pipeline:
    """Return the copy of a memory to the array that takes it."""
    loops = _copy_loops(target.shape, transfer.lanes)
    memory, held = source
    places = held.places(ir.Access(transfer.array, loops.place))
    ports = (
        Port(AccessMode.READ, memory.name, places, "element"),
        Port(AccessMode.WRITE, target.name, loops.place, "element"),
    )
    return _pipeline(name, loops, ports)


def of_lane(at: FixedLane, op: ir.CompareOp) -> ir.Condition:
    """Return that a lane is one of a loop, or isn't."""
    return ir.Compare(op, ir.Index(Affine.iterator(at.loop + LANE)), ir.Literal(at.lane))
