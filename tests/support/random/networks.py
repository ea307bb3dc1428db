"""Small random networks: all that the simulator tells apart, and many that come to a standstill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Compare, CompareOp, Index, Literal, Logic, LogicOp
from streamopt.ir.network import (
    AccessMode,
    Fifo,
    Memory,
    Network,
    Operation,
    PartialTile,
    Pipeline,
    PipelineTiming,
    Place,
    Port,
    Process,
)
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop

if TYPE_CHECKING:
    from random import Random

    from streamopt.ir.expression import Condition

FLOAT = ElementType.FLOAT
SUM = Operation(Operator.ADD, FLOAT, ("x", "x"), "y")


@dataclass(frozen=True)
class Case:
    network: Network
    timings: dict[str, PipelineTiming]
    frames: int
    flushable: bool


@dataclass
class Draft:
    """A pipeline while its ports are chosen."""

    name: str
    tiles: tuple[Loop, ...]
    lanes: tuple[Loop, ...]
    ports: list[Port]


def random_network(random: Random, busiest: int = 3) -> tuple[Network, dict[str, PipelineTiming]]:
    """Return a network of up to five processes; ``busiest`` bounds the trip counts."""
    extents = {name: random.randint(1, busiest) for name in "ab"}
    lanes = random.choice((1, 1, 2, 3))
    processes = [
        [_draft(random, f"n{at}_{part}", extents, lanes) for part in range(_parts(random))]
        for at in range(random.randint(1, 5))
    ]
    fifos: list[Fifo] = []
    memories: list[Memory] = []
    for reader in range(len(processes)):
        for writer in range(reader):
            for _ in range(random.choice((0, 1, 1, 2))):
                ends = (processes[writer], processes[reader])
                if random.random() < 0.15:
                    memories.append(_buffer(random, ends, len(memories)))
                else:
                    fifos.append(_fifo(random, ends, len(fifos), lanes))
        if random.random() < 0.1:
            fifos.append(_fifo(random, (processes[reader], processes[reader]), len(fifos), lanes))
    made = [
        Process(
            f"p{at}",
            tuple(
                Pipeline(
                    draft.name,
                    draft.tiles,
                    draft.lanes,
                    tuple(draft.ports),
                    (SUM,) if random.random() < 0.7 else (),
                    partial_tiles=_partial_tiles(random, draft, lanes),
                )
                for draft in drafts
            ),
        )
        for at, drafts in enumerate(processes)
    ]
    network = Network("random", tuple(made), tuple(memories), tuple(fifos))
    timings = {
        pipeline.name: PipelineTiming(random.choice((1, 1, 2, 3, 5)), random.randint(1, 12))
        for pipeline in network.pipelines
    }
    return network, timings


def _parts(random: Random) -> int:
    return random.choice((1, 1, 1, 2, 3))


def _draft(random: Random, name: str, extents: dict[str, int], lanes: int) -> Draft:
    loops = [Loop(loop, extent) for loop, extent in extents.items()]
    loops.append(Loop("c", random.randint(1, 4)))
    random.shuffle(loops)
    unrolled = [Loop("u", lanes)]
    if random.random() < 0.3:
        unrolled.append(Loop("v", random.randint(1, 2)))
    return Draft(name, tuple(loops), tuple(unrolled), [])


def _partial_tiles(random: Random, draft: Draft, lanes: int) -> tuple[PartialTile, ...]:
    if lanes == 1 or random.random() < 0.8:
        return ()
    tile = random.choice(draft.tiles)
    return (PartialTile(tile.name, "u", tile.trip_count - 1, random.randint(1, lanes - 1)),)


def _buffer(random: Random, ends: tuple[list[Draft], list[Draft]], number: int) -> Memory:
    name = f"m{number}"
    for drafts, mode in zip(ends, (AccessMode.WRITE, AccessMode.READ), strict=True):
        draft = random.choice(drafts)
        draft.ports.append(Port(mode, name, (Affine.iterator("a"),), "x"))
    place = random.choice((Place.PING_PONG, Place.PING_PONG, Place.ARGUMENT))
    return Memory(name, place, FLOAT, (8,), (1,))


def _fifo(random: Random, ends: tuple[list[Draft], list[Draft]], number: int, lanes: int) -> Fifo:
    name = f"f{number}"
    covered = random.choice(("ab", "ab", "a", "b", ""))
    by_lane = random.random() < 0.6
    for drafts, mode in zip(ends, (AccessMode.WRITE, AccessMode.READ), strict=True):
        draft = random.choice(drafts)
        parts = [
            _pinned(random, loop)
            for loop in (*draft.tiles, *draft.lanes)
            if loop.name not in covered and not (by_lane and loop.name == "u")
        ]
        if random.random() < 0.2:
            parts[random.randrange(len(parts))] = _odd_condition(random, draft, lanes)
        # Now and then all copies of the body access one stream.
        if random.random() < 0.15:
            parts = [part for part in parts if _names(part) & {loop.name for loop in draft.tiles}]
        subscript = Affine.iterator("u") if by_lane else Affine.of(0)
        if by_lane and random.random() < 0.1:
            subscript = (Affine.iterator("u") + Affine.iterator("a")).mod(lanes)
        guard = _joined(random, parts)
        draft.ports.append(Port(mode, name, (subscript,), "x", guard))
    return Fifo(name, FLOAT, (lanes,), random.choice((1, 2, 3, 4, 6, 8, 1000)))


def _names(condition: Condition) -> set[str]:
    match condition:
        case Compare(_, Index(value), _):
            return set(value.iterators())
        case Logic(_, operands):
            return set[str]().union(*map(_names, operands))
        case _:
            return set()


def _joined(random: Random, parts: list[Condition]) -> Condition | None:
    random.shuffle(parts)
    if len(parts) < 2:
        return parts[0] if parts else None
    return Logic(LogicOp.AND, tuple(parts))


def _pinned(random: Random, loop: Loop) -> Condition:
    at = random.choice((0, loop.trip_count - 1, random.randrange(loop.trip_count)))
    return Compare(CompareOp.EQ, Index(Affine.iterator(loop.name)), Literal(at))


def _odd_condition(random: Random, draft: Draft, lanes: int) -> Condition:
    """Return a condition that couples loops, divides, or holds for several values."""
    loops = random.choices([loop.name for loop in (*draft.tiles, *draft.lanes)], k=2)
    value = Affine.iterator(loops[0]).scaled(random.choice((1, 2, lanes)))
    value += Affine.iterator(loops[1])
    value = random.choice((value, value.mod(2), value.floordiv(2)))
    compare = Compare(random.choice(list(CompareOp)), Index(value), Literal(random.randint(0, 3)))
    if random.random() < 0.3:
        other = _pinned(random, random.choice(draft.tiles))
        return Logic(random.choice((LogicOp.OR, LogicOp.AND)), (compare, other))
    return compare


def random_case(random: Random) -> Case:
    network, timings = random_network(random)
    return Case(network, timings, random.choice((1, 1, 2, 3)), random.random() < 0.5)
