"""Networks by hand, small enough to follow."""

from __future__ import annotations

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Compare, CompareOp, Condition, Index, Literal
from streamopt.ir.network import (
    AccessMode,
    Fifo,
    Memory,
    Network,
    Operation,
    Pipeline,
    PipelineTiming,
    Place,
    Port,
    Process,
)
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop

FLOAT = ElementType.FLOAT
SUM = Operation(Operator.ADD, FLOAT, ("x", "x"), "y")


def at(iterator: str, value: int) -> Condition:
    return Compare(CompareOp.EQ, Index(Affine.iterator(iterator)), Literal(value))


def read(target: str, guard: Condition | None = None, *subscripts: Affine) -> Port:
    return Port(AccessMode.READ, target, subscripts, "x", guard)


def write(target: str, guard: Condition | None = None, *subscripts: Affine) -> Port:
    return Port(AccessMode.WRITE, target, subscripts, "y", guard)


def fifo(name: str, depth_elems: int, *lanes: int) -> Fifo:
    return Fifo(name, FLOAT, lanes, depth_elems)


def buffer(name: str) -> Memory:
    return Memory(name, Place.PING_PONG, FLOAT, (64,), (1,))


def process(
    name: str,
    loops: dict[str, int],
    *ports: Port,
    lanes: dict[str, int] | None = None,
    operations: tuple[Operation, ...] = (SUM,),
) -> Process:
    tiles = tuple(Loop(loop, trip) for loop, trip in loops.items())
    unrolled = tuple(Loop(loop, trip) for loop, trip in (lanes or {}).items())
    return Process(name, (Pipeline(name, tiles, unrolled, ports, operations),))


def network(*parts: Process | Fifo | Memory) -> Network:
    return Network(
        "net",
        tuple(part for part in parts if isinstance(part, Process)),
        tuple(part for part in parts if isinstance(part, Memory)),
        tuple(part for part in parts if isinstance(part, Fifo)),
    )


def timing(ii: int, depth_cycles: int) -> PipelineTiming:
    return PipelineTiming(ii, depth_cycles)
