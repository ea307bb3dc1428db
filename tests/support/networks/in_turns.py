"""Networks whose pipelines take turns, written by hand as sequential nodes are lowered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Compare, CompareOp, Index, Literal, Logic, LogicOp
from streamopt.ir.network import (
    AccessMode,
    Memory,
    Network,
    Operation,
    Pipeline,
    Place,
    Port,
    Process,
    Turn,
    TurnLoop,
    Turns,
)
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop
from streamopt.ir.stepping.steps import StepLoop

if TYPE_CHECKING:
    from streamopt.ir.expression import Condition
    from streamopt.ir.network import TurnItem

FLOAT = ElementType.FLOAT
ONE = Affine.of(1)


def loop(name: str, lower: Affine | int, upper: Affine | int, end: int) -> StepLoop:
    """Return a loop with one bound on each side; ``end`` is beyond all its values."""
    low, high = (b if isinstance(b, Affine) else Affine.of(b) for b in (lower, upper))
    return StepLoop(name, (low,), (high,), 0, end)


def it(name: str) -> Affine:
    return Affine.iterator(name)


def between(low: Affine, value: Affine, high: Affine) -> Condition:
    """Return ``low <= value < high``."""
    parts = (low, value), (value + ONE, high)
    return Logic(
        LogicOp.AND,
        tuple(Compare(CompareOp.LE, Index(left - right), Literal(0)) for left, right in parts),
    )


def laned(name: str, lanes: int) -> Affine:
    """Return the iterator of a loop of which so many iterations run at once."""
    return it(name).scaled(lanes) + it(f"{name}.lane") if lanes > 1 else it(name)


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a pipeline that takes turns: ``write = operators(reads)``."""

    reads: tuple[tuple[str, tuple[Affine, ...]], ...]
    write: tuple[str, tuple[Affine, ...]]
    operators: tuple[Operator, ...]
    guard: Condition | None = None

    def ports(self) -> tuple[Port, ...]:
        reads = (
            Port(AccessMode.READ, memory, place, f"v{n}", self.guard)
            for n, (memory, place) in enumerate(self.reads)
        )
        return (*reads, Port(AccessMode.WRITE, *self.write, f"t{len(self.operators)}", self.guard))

    def operations(self) -> tuple[Operation, ...]:
        """Return a chain of operators: the last two reads, then what came before."""
        left = [f"v{n}" for n in range(len(self.reads))]
        made: list[Operation] = []
        for n, operator in enumerate(self.operators, start=1):
            operands = (left.pop(-2) if len(left) > 1 else left[0], left.pop())
            made.append(Operation(operator, FLOAT, operands, f"t{n}"))
            left.append(f"t{n}")
        return tuple(made)


def pipeline(
    name: str, around: tuple[StepLoop, ...], body: Body, lanes: dict[str, int]
) -> Pipeline:
    return Pipeline(
        name,
        tuple(Loop(each.name, each.end) for each in around),
        tuple(Loop(f"{each}.lane", count) for each, count in lanes.items() if count > 1),
        body.ports(),
        body.operations(),
    )


def in_turns(
    name: str, items: tuple[TurnItem, ...], pipelines: tuple[Pipeline, ...], *memories: Memory
) -> Network:
    process = Process(name, pipelines, (Turns(f"{name}.turns", items),))
    return Network(name, (process,), memories, ())


def local(name: str, shape: tuple[int, ...], factors: tuple[int, ...]) -> Memory:
    return Memory(name, Place.LOCAL, FLOAT, shape, factors)


def lu(size: int, lanes: tuple[int, int], least_cycles: tuple[int, int]) -> Network:
    """Return right-looking LU: columns are scaled, then the rest is updated."""
    k = loop("k", 0, size, size)
    row, column = (it("k") + ONE).floordiv(lanes[0]), (it("k") + ONE).floordiv(lanes[1])
    tiles = [-(-size // count) for count in lanes]
    i, i2 = (loop(name, row, tiles[0], tiles[0]) for name in ("i", "i2"))
    j = loop("j", column, tiles[1], tiles[1])
    rows, rows2 = laned("i", lanes[0]), laned("i2", lanes[0])
    columns = laned("j", lanes[1])
    after, end = it("k") + ONE, Affine.of(size)
    scale = Body(
        (("A", (rows, it("k"))), ("A", (it("k"), it("k")))),
        ("A", (rows, it("k"))),
        (Operator.DIV,),
        between(after, rows, end),
    )
    update = Body(
        (("A", (rows2, columns)), ("A", (rows2, it("k"))), ("A", (it("k"), columns))),
        ("A", (rows2, columns)),
        (Operator.MUL, Operator.SUB),
        Logic(LogicOp.AND, (between(after, rows2, end), between(after, columns, end))),
    )
    turns = (
        Turn("scale", (i,), least_cycles=least_cycles[0]),
        Turn("update", (i2, j), least_cycles=least_cycles[1]),
    )
    return in_turns(
        "lu",
        (TurnLoop(k, turns),),
        (
            pipeline("scale", (k, i), scale, {"i": lanes[0]}),
            pipeline("update", (k, i2, j), update, {"i2": lanes[0], "j": lanes[1]}),
        ),
        local("A", (size, size), (size, size)),
    )


def trisolv(size: int, lanes: int, least_cycles: tuple[int, int]) -> Network:
    """Return the column-wise solution of a triangular system; ``L`` is an argument."""
    j = loop("j", 0, size, size)
    end = -(-size // lanes)
    i = loop("i", (it("j") + ONE).floordiv(lanes), end, end)
    rows = laned("i", lanes)
    divide = Body(
        (("x", (it("j"),)), ("L", (it("j"), it("j")))), ("x", (it("j"),)), (Operator.DIV,)
    )
    update = Body(
        (("x", (rows,)), ("L", (rows, it("j"))), ("x", (it("j"),))),
        ("x", (rows,)),
        (Operator.MUL, Operator.SUB),
        between(it("j") + ONE, rows, Affine.of(size)),
    )
    turns = (
        Turn("divide", (), least_cycles=least_cycles[0]),
        Turn("update", (i,), least_cycles=least_cycles[1]),
    )
    return in_turns(
        "trisolv",
        (TurnLoop(j, turns),),
        (
            pipeline("divide", (j,), divide, {}),
            pipeline("update", (j, i), update, {"i": lanes}),
        ),
        Memory("L", Place.ARGUMENT, FLOAT, (size, size), (lanes, 1)),
        local("x", (size,), (size,)),
    )


def jacobi(size: int, steps: int, lanes: int, least_cycles: int) -> Network:
    """Return a stencil of five points between two arrays, all in registers."""
    t = loop("t", 0, steps, steps)
    end = -(-(size - 1) // lanes)
    pipelines: list[Pipeline] = []
    turns: list[Turn] = []
    for name, source, sink in (("there", "A", "B"), ("back", "B", "A")):
        i, j = loop(f"{name}.i", 1, size - 1, size - 1), loop(f"{name}.j", 0, end, end)
        row, column = it(i.name), laned(j.name, lanes)
        reads = [(row, column), (row - ONE, column), (row + ONE, column)]
        reads += [(row, column - ONE), (row, column + ONE)]
        body = Body(
            tuple((source, place) for place in reads),
            (sink, (row, column)),
            (Operator.ADD,) * 4,
            between(ONE, column, Affine.of(size - 1)),
        )
        turns.append(Turn(name, (i, j), least_cycles=least_cycles))
        pipelines.append(pipeline(name, (t, i, j), body, {j.name: lanes}))
    memories = (local(name, (size, size), (size, size)) for name in "AB")
    return in_turns("jacobi", (TurnLoop(t, tuple(turns)),), tuple(pipelines), *memories)
