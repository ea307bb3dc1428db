"""Random small programs and graphs: what the model, the oracle and the solvers are tried on.

Products, point-wise nodes, transpositions, reductions, broadcasts, windows, reshapes, padding
(two writers), single rows, corners, diagonals and operands read in two ways, over arrays of one
to three dimensions; operands are mostly outputs of earlier nodes, so there are chains, forks,
joins and bypass paths. Legal by construction, and checked on the way from program to graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Expression,
    Function,
    Literal,
    Read,
    reads,
)
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Loop, Nest, Program, Role, Statement
from streamopt.transforms.canonicalize import canonicalize

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from streamopt.ir.graph import Graph

__all__ = ["ITERATORS", "MAKERS", "Builder", "it", "random_graph", "random_program", "read"]

Shape = tuple[int, ...]
ITERATORS = ("i", "j", "k")


def it(name: str) -> Affine:
    return Affine.iterator(name)


def read(array: str, subscripts: Sequence[Affine]) -> Read:
    return Read(Access(array, tuple(subscripts)))


class Builder:
    """Arrays and nests so far: what a maker adds a nest to."""

    def __init__(self, rng: random.Random, max_extent: int) -> None:
        self.rng = rng
        self.max_extent = max_extent
        self.shapes: dict[str, Shape] = {}
        self.computed: list[str] = []
        self.used: set[str] = set()
        self.nests: list[Nest] = []

    def extent(self) -> int:
        return self.rng.randint(1, self.max_extent)

    def operand(self, pattern: Sequence[int | None]) -> str:
        """Return an array of a shape, None standing for any extent; mostly a computed one."""
        fits = [
            name
            for name in self.computed
            if len(self.shapes[name]) == len(pattern)
            and all(p in (None, n) for p, n in zip(pattern, self.shapes[name], strict=True))
        ]
        fresh = [name for name in fits if name not in self.used]
        if fits and self.rng.random() < 0.9:
            return self.rng.choice(fresh if fresh and self.rng.random() < 0.6 else fits)
        name = f"x{len(self.shapes)}"
        self.shapes[name] = tuple(self.extent() if p is None else p for p in pattern)
        return name

    def any_operand(self, least_rank: int = 1) -> tuple[str, Shape]:
        ranks = [r for n in self.computed if (r := len(self.shapes[n])) >= least_rank]
        rank = self.rng.choice([*ranks, max(2, least_rank)])
        name = self.operand([None] * rank)
        return name, self.shapes[name]

    def target(self, shape: Shape) -> str:
        name = f"y{len(self.shapes)}"
        self.shapes[name] = shape
        self.computed.append(name)
        return name

    def add(
        self,
        trips: Sequence[int],
        write: Access,
        value: Expression,
        reduction: Reduction | None = None,
    ) -> None:
        """Add a nest over the first iterators, in any loop order."""
        loops = [Loop(name, trip) for name, trip in zip(ITERATORS, trips, strict=False)]
        self.rng.shuffle(loops)
        statement = Statement(write, value, reduction)
        self.used.update(access.array for access in reads(value))
        self.nests.append(Nest(f"n{len(self.nests)}", tuple(loops), (statement,)))


def _product(b: Builder) -> None:
    left = b.operand((None, None))
    n, depth = b.shapes[left]
    right = b.operand((depth, None))
    m = b.shapes[right][1]
    value = Binary(BinaryOp.MUL, read(left, (it("i"), it("k"))), read(right, (it("k"), it("j"))))
    write = Access(b.target((n, m)), (it("i"), it("j")))
    b.add((n, m, depth), write, value, Reduction.ADD)


def _scaled(factor: float, value: Expression) -> Expression:
    return Binary(BinaryOp.MUL, Literal(factor), value)


def _pointwise(b: Builder) -> None:
    left, shape = b.any_operand()
    at = [it(name) for name in ITERATORS[: len(shape)]]
    first = read(left, at)
    kind = b.rng.randrange(5)
    value: Expression
    if kind == 0:
        value = first
    elif kind == 1:
        value = Call(Function.MAX, (first, Literal(0.0)))
    else:
        second = read(b.operand(shape), at)
        if kind == 2:
            value = Binary(BinaryOp.ADD, first, second)
        elif kind == 3:
            value = Binary(BinaryOp.ADD, _scaled(0.5, first), _scaled(1.5, second))
        else:
            value = Binary(BinaryOp.MUL, first, second)
    b.add(shape, Access(b.target(shape), tuple(at)), value)


def _transposed(b: Builder) -> None:
    source, shape = b.any_operand(2)
    dims = list(range(len(shape)))
    b.rng.shuffle(dims)
    at = [it(name) for name in ITERATORS[: len(shape)]]
    write = Access(b.target(tuple(shape[d] for d in dims)), tuple(at[d] for d in dims))
    b.add(shape, write, read(source, at))


def _reduced(b: Builder) -> None:
    source, shape = b.any_operand()
    kept = [d for d in range(len(shape)) if b.rng.random() < 0.5]
    at = [it(name) for name in ITERATORS[: len(shape)]]
    write = Access(b.target(tuple(shape[d] for d in kept)), tuple(at[d] for d in kept))
    b.add(shape, write, read(source, at), b.rng.choice((Reduction.ADD, Reduction.MAX)))


def _broadcast(b: Builder) -> None:
    source, shape = b.any_operand()
    rank = b.rng.randrange(len(shape))
    at = [it(name) for name in ITERATORS[: len(shape)]]
    other = read(b.operand(shape[:rank]), at[:rank])
    write = Access(b.target(shape), tuple(at))
    b.add(shape, write, Binary(BinaryOp.SUB, read(source, at), other))


def _window(b: Builder) -> None:
    source = b.operand((None, None))
    n, m = b.shapes[source]
    width = b.rng.randint(1, m)
    taps = b.operand((width,))
    value = Binary(
        BinaryOp.MUL,
        read(source, (it("i"), it("j") + it("k"))),
        read(taps, (it("k"),)),
    )
    write = Access(b.target((n, m - width + 1)), (it("i"), it("j")))
    b.add((n, m - width + 1, width), write, value, Reduction.ADD)


def _flattened(b: Builder) -> None:
    source = b.operand((None, None))
    n, m = b.shapes[source]
    if n * m > 2 * b.max_extent:
        _pointwise(b)
        return
    at = (it("i").floordiv(m), it("i").mod(m))
    b.add((n * m,), Access(b.target((n * m,)), (it("i"),)), read(source, at))


def _split(b: Builder) -> None:
    source = b.operand((None,))
    (n,) = b.shapes[source]
    m = b.rng.choice([d for d in range(1, n + 1) if n % d == 0])
    write = Access(b.target((n // m, m)), (it("i"), it("j")))
    b.add((n // m, m), write, read(source, (it("i").scaled(m) + it("j"),)))


def _padded(b: Builder) -> None:
    source = b.operand((None, None))
    n, m = b.shapes[source]
    padded = b.target((n, m + 2))
    b.add((n, m + 2), Access(padded, (it("i"), it("j"))), Literal(0.0))
    shifted = Access(padded, (it("i"), it("j") + Affine.of(1)))
    b.add((n, m), shifted, read(source, (it("i"), it("j"))))


def _row(b: Builder) -> None:
    source = b.operand((None, None))
    n, m = b.shapes[source]
    at = (Affine.of(b.rng.randrange(n)), it("j"))
    if b.rng.random() < 0.5:
        b.add((1, m), Access(b.target((1, m)), (it("i"), it("j"))), read(source, at))
    else:
        b.add((1, m), Access(b.target((1, m)), (Affine.of(0), it("j"))), read(source, at))


def _read_twice(b: Builder) -> None:
    source = b.operand((None,))
    (n,) = b.shapes[source]
    forth, back = read(source, (it("i"),)), read(source, (Affine.of(n - 1) - it("i"),))
    b.add((n,), Access(b.target((n,)), (it("i"),)), Binary(BinaryOp.ADD, forth, back))


def _corner(b: Builder) -> None:
    """Read some of the first rows and columns."""
    source = b.operand((None, None))
    shape = tuple(b.rng.randint(1, extent) for extent in b.shapes[source])
    at = (it("i"), it("j"))
    b.add(shape, Access(b.target(shape), at), read(source, at))


def _diagonal(b: Builder) -> None:
    source = b.operand((None, None))
    n = min(b.shapes[source])
    b.add((n,), Access(b.target((n,)), (it("i"),)), read(source, (it("i"), it("i"))))


MAKERS: tuple[Callable[[Builder], None], ...] = (
    _product,
    _product,
    _product,
    _pointwise,
    _pointwise,
    _transposed,
    _reduced,
    _broadcast,
    _window,
    _flattened,
    _split,
    _row,
    _read_twice,
    _corner,
    _diagonal,
)


def random_program(
    rng: random.Random,
    *,
    nodes: int,
    max_extent: int,
    makers: Sequence[Callable[[Builder], None]] = MAKERS,
) -> Program:
    """Return a program of that many nests, with loops of 1 to ``max_extent`` iterations.

    Padding and flattening make loops of up to 2 more, or twice as many.
    """
    builder = Builder(rng, max_extent)
    while len(builder.nests) < nodes:
        if nodes - len(builder.nests) >= 3 and rng.random() < 0.15:
            _padded(builder)
        else:
            rng.choice(makers)(builder)
    arrays = tuple(
        Array(name, shape, _role(builder, name))
        for name, shape in builder.shapes.items()
        if name in builder.used or name in builder.computed
    )
    return Program("random", arrays, tuple(builder.nests))


def _role(builder: Builder, name: str) -> Role:
    if name not in builder.computed:
        return Role.INPUT
    return Role.INTERNAL if name in builder.used else Role.OUTPUT


def random_graph(rng: random.Random, *, nodes: int, max_extent: int) -> Graph:
    """Return the canonical graph of a random program."""
    return canonicalize(random_program(rng, nodes=nodes, max_extent=max_extent))
