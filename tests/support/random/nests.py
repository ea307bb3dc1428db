"""More kinds of nests for random programs: strides, stencils, conditions, functions, products.

They are what the whole chain is tried on, beyond `tests.support.random.graphs.MAKERS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Compare,
    CompareOp,
    Function,
    Index,
    Literal,
    Select,
)
from streamopt.ir.operators import Reduction
from tests.support.random.graphs import ITERATORS, MAKERS, it, read

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.expression import Expression
    from tests.support.random.graphs import Builder

__all__ = ["ALL_MAKERS"]


def _write(b: Builder, shape: tuple[int, ...]) -> Access:
    return Access(b.target(shape), tuple(it(name) for name in ITERATORS[: len(shape)]))


def _strided(b: Builder) -> None:
    """Take every second or third element of some dimensions."""
    source, shape = b.any_operand()
    at: list[Affine] = []
    taken: list[int] = []
    for name, extent in zip(ITERATORS, shape, strict=False):
        step = b.rng.choice((1, 2, 2, 3))
        first = b.rng.randrange(min(step, extent))
        taken.append((extent - first - 1) // step + 1)
        at.append(it(name).scaled(step) + Affine.of(first))
    b.add(taken, _write(b, tuple(taken)), read(source, at))


def _spread(b: Builder) -> None:
    """Repeat every row."""
    source = b.operand((None, None))
    n, m = b.shapes[source]
    times = b.rng.choice((1, 2, 3))
    value = read(source, (it("i").floordiv(times), it("j")))
    b.add((n * times, m), _write(b, (n * times, m)), value)


def _outer(b: Builder) -> None:
    left = b.operand((None,))
    right = left if b.rng.random() < 0.4 else b.operand((None,))
    shape = (*b.shapes[left], *b.shapes[right])
    value = Binary(BinaryOp.MUL, read(left, (it("i"),)), read(right, (it("j"),)))
    b.add(shape, _write(b, shape), value)


def _rows(b: Builder) -> None:
    """Sum, multiply or compare products of rows of two arrays."""
    left = b.operand((None, None))
    n, m = b.shapes[left]
    right = b.operand((n, m))
    at = (it("i"), it("j"))
    value = Binary(BinaryOp.MUL, read(left, at), read(right, at))
    b.add((n, m), _write(b, (n,)), value, b.rng.choice((Reduction.ADD, Reduction.MIN)))


def _batched(b: Builder) -> None:
    """Multiply a vector with every matrix of a stack."""
    stack = b.operand((None, None, None))
    n, m, depth = b.shapes[stack]
    vector = b.operand((depth,))
    value = Binary(BinaryOp.MUL, read(stack, (it("i"), it("j"), it("k"))), read(vector, (it("k"),)))
    b.add((n, m, depth), _write(b, (n, m)), value, Reduction.ADD)


def _triangle(b: Builder) -> None:
    """Keep one side of the diagonal."""
    source = b.operand((None, None))
    shape = b.shapes[source]
    op = b.rng.choice((CompareOp.LE, CompareOp.LT, CompareOp.EQ, CompareOp.GE))
    condition = Compare(op, Index(it("i")), Index(it("j") + Affine.of(b.rng.randint(-1, 1))))
    inside = read(source, (it("i"), it("j")))
    other: Expression = Literal(0.0)
    if b.rng.random() < 0.5:
        other = read(b.operand((shape[1],)), (it("j"),))
    b.add(shape, _write(b, shape), Select(condition, inside, other))


def _stencil(b: Builder) -> None:
    """Add neighbours, those inside of the border."""
    source, shape = b.any_operand()
    width = b.rng.randint(1, min(3, shape[-1]))
    taken = (*shape[:-1], shape[-1] - width + 1)
    at = [it(name) for name in ITERATORS[: len(shape)]]
    value: Expression = read(source, at)
    for step in range(1, width):
        value = Binary(BinaryOp.ADD, value, read(source, (*at[:-1], at[-1] + Affine.of(step))))
    b.add(taken, _write(b, taken), value)


def _function(b: Builder) -> None:
    source, shape = b.any_operand()
    place = read(source, [it(name) for name in ITERATORS[: len(shape)]])
    kind = b.rng.randrange(4)
    value: Expression
    if kind == 0:
        value = Call(Function.ABS, (place,))
    elif kind == 1:
        value = Call(Function.MIN, (place, Literal(1.0)))
    elif kind == 2:
        value = Binary(BinaryOp.ADD, place, Index(it("i")))
    else:
        value = Select(Compare(CompareOp.GT, place, Literal(0.0)), place, Literal(2.0))
    b.add(shape, _write(b, shape), value)


def _smooth(b: Builder) -> None:
    """Apply a function whose values are not exact."""
    source, shape = b.any_operand()
    place = read(source, [it(name) for name in ITERATORS[: len(shape)]])
    function = b.rng.choice((Function.TANH, Function.ERF, Function.SIN))
    value = Call(function, (Binary(BinaryOp.MUL, place, Literal(0.25)),))
    b.add(shape, _write(b, shape), value)


ALL_MAKERS: tuple[Callable[[Builder], None], ...] = (
    *MAKERS,
    _strided,
    _strided,
    _spread,
    _outer,
    _rows,
    _batched,
    _triangle,
    _stencil,
    _stencil,
    _function,
    _smooth,
)
