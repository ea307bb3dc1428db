"""Sums of products of activations and weights, and scales of channels that become the weights'.

A batch normalization behind a convolution multiplies each channel by a number and adds one::

    y[o][h][w] += x[c][h + kh][w + kw] * weight[o][c][kh][kw]
    z[o][h][w]  = relu(y[o][h][w] * scale[o] + shift[o])

The products of the weights and the scales are constants, and so are the sums::

    y[o][h][w]  = bias[o]; y[o][h][w] += x[c][h + kh][w + kw] * weight[o][c][kh][kw]
    z[o][h][w]  = relu(y[o][h][w])
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Expression,
    Literal,
    Read,
    children,
    reads,
    rebuild,
)
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Nest, Program, Role, Statement
from streamopt.transforms.free_names import FreeNames


@dataclass(frozen=True, slots=True)
class Product:
    """A nest that sums products of an activation and a weight."""

    nest: Nest
    target: str
    activation: str
    weight: str
    channel: int | None
    """Dimension of the weight whose elements have a scale each; None for one scale."""

    @property
    def statement(self) -> Statement:
        """Return its only statement."""
        return self.nest.statements[0]

    @property
    def channel_index(self) -> Affine:
        """Return the subscript of the weight's channel, over the iterators of the nest."""
        if self.channel is None:
            return Affine()
        (weight,) = (a for a in reads(self.statement.value) if a.array == self.weight)
        return weight.subscripts[self.channel]

    def channel_at(self, read: Access) -> Affine:
        """Return the channel of a sum that is read elsewhere, over the iterators there."""
        inside = {
            name: read.subscripts[at]
            for at, subscript in enumerate(self.statement.target.subscripts)
            if (name := subscript.as_iterator())
        }
        return self.channel_index.substitute(inside)


def products(program: Program) -> tuple[Product, ...]:
    """Return the sums of products whose weights nothing else reads."""
    every = [_product(program, nest) for nest in program.nests]
    found = [each for each in every if each is not None]
    names = {each.nest.name for each in found}
    elsewhere = {
        access.array
        for nest in program.nests
        if nest.name not in names
        for statement in nest.statements
        for access in statement.accesses
    }
    channels: dict[str, set[int | None]] = {}
    for each in found:
        channels.setdefault(each.weight, set()).add(each.channel)
    return tuple(
        each if len(channels[each.weight]) == 1 else replace(each, channel=None)
        for each in found
        if each.weight not in elsewhere
        and (each.statement.start is None or len(channels[each.weight]) == 1)
    )


def _product(program: Program, nest: Nest) -> Product | None:
    if nest.sequential or len(nest.statements) != 1:
        return None
    (statement,) = nest.statements
    value, start = statement.value, statement.start
    if statement.reduction is not Reduction.ADD or statement.guard is not None:
        return None
    if not isinstance(value, Binary) or value.op is not BinaryOp.MUL:
        return None
    sides = [side.access for side in (value.left, value.right) if isinstance(side, Read)]
    weights = [access for access in sides if access.array in program.values]
    if len(sides) != 2 or len(weights) != 1:
        return None
    (weight,) = weights
    (activation,) = (access for access in sides if access is not weight)
    target = program.array(statement.target.array)
    others = [n for n in program.nests if n.statements[0].target.array == target.name]
    kinds = {program.array(access.array).element for access in sides} | {target.element}
    if kinds != {ElementType.FLOAT} or len(others) != 1:
        return None
    channel = _channel(statement, weight)
    if start is not None and start != Literal(0.0):
        index = None if channel is None else weight.subscripts[channel]
        if index is None or not is_of_channel(program.values, start, index):
            return None
    return Product(nest, target.name, activation.array, weight.array, channel)


def _channel(statement: Statement, weight: Access) -> int | None:
    """Return the dimension of a weight that is an output's: its iterators are subscripts there."""
    plain = {subscript.as_iterator() for subscript in statement.target.subscripts} - {None}
    for at, subscript in enumerate(weight.subscripts):
        if subscript.iterators() and plain >= set(subscript.iterators()):
            return at
    return None


def is_of_channel(values: Mapping[str, NDArray[Any]], read: Expression, channel: Affine) -> bool:
    """Return whether an expression is a constant of its own for each channel."""
    if not isinstance(read, Read) or read.access.array not in values:
        return False
    return [s for s in read.access.subscripts if s != Affine()] == [channel]


def replaced(
    expression: Expression, change: Callable[[Expression], Expression | None]
) -> Expression:
    """Return the expression with the outermost parts replaced for which ``change`` has others."""
    made = change(expression)
    if made is not None:
        return made
    operands = children(expression)
    if not operands:
        return expression
    return rebuild(expression, tuple(replaced(operand, change) for operand in operands))


def with_folded_scales(program: Program) -> Program:
    """Return the program with scales and shifts of channels in weights and starts of sums."""
    for product in products(program):
        program = _folded(program, product)
    return program


def _folded(program: Program, product: Product) -> Program:
    values = program.values
    found: set[tuple[str, str]] = set()
    uses = 0

    def change(part: Expression) -> Expression | None:
        match part:
            case Binary(
                BinaryOp.ADD,
                Binary(BinaryOp.MUL, Read(sums), Read(scale) as by),
                Read(shift) as more,
            ) if sums.array == product.target:
                channel = product.channel_at(sums)
                if is_of_channel(values, by, channel) and is_of_channel(values, more, channel):
                    found.add((scale.array, shift.array))
                    return Read(sums)
            case _:
                pass
        return None

    nests: list[Nest] = []
    for nest in program.nests:
        made = [replace(s, value=replaced(s.value, change)) for s in nest.statements]
        nests.append(replace(nest, statements=tuple(made)))
        uses += sum(a.array == product.target for s in nest.statements for a in s.accesses)
    left = sum(
        before.value != after.value
        for old, new in zip(program.nests, nests, strict=True)
        for before, after in zip(old.statements, new.statements, strict=True)
    )
    internal = program.array(product.target).role is Role.INTERNAL
    if product.channel is None or not internal or len(found) != 1 or uses != 1 + left:
        return program
    (names,) = found
    return _with_constants(replace(program, nests=tuple(nests)), product, *names)


def _with_constants(program: Program, product: Product, scale: str, shift: str) -> Program:
    """Return the program whose weight is scaled, and whose sums start from the shift."""
    assert product.channel is not None
    array = program.array(product.weight)
    count = array.shape[product.channel]
    by, more = (np.asarray(program.values[n], np.float64).reshape(-1) for n in (scale, shift))
    weight = np.asarray(program.values[product.weight], np.float64).reshape(array.shape)
    start = product.statement.start
    bias = np.zeros(count)
    if isinstance(start, Read):
        bias = np.asarray(program.values[start.access.array], np.float64).reshape(-1)
    if not len(by) == len(more) == len(bias) == count:
        return program
    wide = by.reshape([-1 if at == product.channel else 1 for at in range(len(array.shape))])
    own = FreeNames(a.name for a in program.arrays).fresh(f"{product.target}_bias")
    values = {
        **program.values,
        product.weight: (weight * wide).astype(np.float32),
        own: (bias * by + more).astype(np.float32),
    }
    arrays = (*program.arrays, Array(own, (count,), Role.WEIGHT, ElementType.FLOAT))
    begin = Read(Access(own, (product.channel_index,)))
    nests = tuple(
        replace(nest, statements=(replace(nest.statements[0], start=begin),))
        if nest.name == product.nest.name
        else nest
        for nest in program.nests
    )
    used = {a.array for nest in nests for s in nest.statements for a in s.accesses}
    return Program(
        program.name,
        tuple(a for a in arrays if a.name in used or a.role is not Role.WEIGHT),
        nests,
        {name: value for name, value in values.items() if name in used},
        program.sample,
    )
