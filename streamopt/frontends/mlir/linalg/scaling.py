"""Chains of additions and products with weights, as in batch normalization: one scale, one shift.

``((x - mean) * inverse) * gain + offset`` becomes ``x * scale + shift`` with ``scale`` and
``shift`` computed from the weights, as compilers for inference do. Rounding differs slightly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.frontends.mlir.linalg.usage import Usage
from streamopt.frontends.mlir.text.syntax import MlirOperation, MlirValue
from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import negated
from streamopt.ir.expression import Binary, BinaryOp, Expression, Read

if TYPE_CHECKING:
    from streamopt.frontends.mlir.linalg.structured import Operand, Structured

SHORTEST = 3
"""Fewest steps that are worth two new weights."""

_STEPS = (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV)


@dataclass(frozen=True, slots=True, eq=False)
class _ScaleStep:
    """``x op weight``, or ``weight op x``; everything at the points of one operation."""

    operation: MlirOperation
    op: BinaryOp
    variable: Operand
    weight: Operand
    weight_is_left: bool
    target: tuple[Affine, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Steps one after another, all with weights of one shape, read at the same places."""

    steps: tuple[_ScaleStep, ...]

    @property
    def base(self) -> MlirValue:
        """Return the tensor behind all the steps."""
        return self.steps[0].variable.value

    def is_end(self, op: MlirOperation) -> bool:
        """Return whether an operation is the last step."""
        return self.steps[-1].operation is op

    def tensor(
        self, builder: ProgramBuilder, tensors: Mapping[int, LazyTensor], label: str
    ) -> LazyTensor:
        """Return the result of the last step."""
        scale, shift = self._weights(builder, tensors, label)
        first, base = self.steps[0], tensors[self.base.number]
        dimensions = [subscript.as_iterator() for subscript in first.target]

        def value(point: ElementPoint) -> Expression:
            places = dict(zip(map(str, dimensions), point.indices, strict=True))
            there = point.to(s.substitute(places) for s in first.weight.subscripts)
            here = point.to(s.substitute(places) for s in first.variable.subscripts)
            return ex.add(ex.multiply(base.at(here), scale.at(there)), shift.at(there))

        shape = self.steps[-1].operation.results[0].type.shape
        return builder.computed(base, value, base, operations=2, shape=shape)

    def _weights(
        self, builder: ProgramBuilder, tensors: Mapping[int, LazyTensor], label: str
    ) -> tuple[LazyTensor, LazyTensor]:
        first = tensors[self.steps[0].weight.value.number]

        def scaled(point: ElementPoint) -> Expression:
            return self._scale_and_shift(tensors, point)[0]

        def shifted(point: ElementPoint) -> Expression:
            return self._scale_and_shift(tensors, point)[1]

        count = 3 * len(self.steps)
        scale = replace(first, value=scaled, operations=count, array="")
        shift = replace(first, value=shifted, operations=count, array="")
        return builder.store(scale, f"{label}_scale"), builder.store(shift, f"{label}_shift")

    def _scale_and_shift(
        self, tensors: Mapping[int, LazyTensor], point: ElementPoint
    ) -> tuple[Expression, Expression]:
        scale: Expression = ex.ONE
        shift: Expression = ex.ZERO
        for step in self.steps:
            weight = tensors[step.weight.value.number].at(point)
            scale, shift = _after(step, weight, scale, shift)
        return scale, shift


def scaling_chains(
    operations: Sequence[MlirOperation], generics: Mapping[int, Structured], usage: Usage
) -> Mapping[int, Chain]:
    """Return the longest chain that each operation belongs to, by `id` of the operation."""
    steps = {
        op.results[0].number: step
        for op in operations
        if id(op) in generics and (step := _step(generics[id(op)], usage)) is not None
    }
    after: dict[int, int] = {}
    for number, step in steps.items():
        before = step.variable.value.number
        if before in steps and _continues(steps[before], step, usage):
            after[before] = number
    found: dict[int, Chain] = {}
    for number in steps:
        if number in after.values():
            continue
        chain = [steps[number]]
        while number in after:
            number = after[number]
            chain.append(steps[number])
        if len(chain) >= SHORTEST:
            found.update((id(step.operation), Chain(tuple(chain))) for step in chain)
    return found


def _step(item: Structured, usage: Usage) -> _ScaleStep | None:
    """Return an operation as a step, if it is one of its own kind: not on weights alone."""
    if len(item.templates) != 1 or not item.is_parallel:
        return None
    match item.templates[0]:
        case Binary(op, Read(left), Read(right)) if op in _STEPS:
            sides = item.operands[int(left.array[1:])], item.operands[int(right.array[1:])]
        case _:
            return None
    given = [side.value.number in usage.constants for side in sides]
    target = item.outputs[0].subscripts
    if given[0] == given[1] or any(s.as_iterator() is None for s in target):
        return None
    variable, weight = (sides[1], sides[0]) if given[0] else sides
    if given[0] and op is BinaryOp.DIV:
        return None
    is_float = item.operation.results[0].type.element in ("f32", "f64")
    if not is_float or weight.value.type.kind != "tensor":
        return None
    return _ScaleStep(item.operation, op, variable, weight, given[0], target)


def _continues(before: _ScaleStep, step: _ScaleStep, usage: Usage) -> bool:
    readers = usage.readers.get(step.variable.value.number, ())
    return (
        len(readers) == 1
        and step.variable.subscripts == step.target == before.target
        and step.weight.subscripts == before.weight.subscripts
        and step.weight.value.type.shape == before.weight.value.type.shape
    )


def _after(
    step: _ScaleStep, weight: Expression, scale: Expression, shift: Expression
) -> tuple[Expression, Expression]:
    """Return scale and shift after a step."""
    match step.op:
        case BinaryOp.ADD:
            return scale, ex.add(shift, weight)
        case BinaryOp.SUB if step.weight_is_left:
            return negated(scale), ex.subtract(weight, shift)
        case BinaryOp.SUB:
            shifted = negated(weight) if shift == ex.ZERO else ex.subtract(shift, weight)
            return scale, shifted
        case BinaryOp.MUL:
            moved = shift if shift == ex.ZERO else ex.multiply(shift, weight)
            return ex.multiply(scale, weight), moved
        case _:
            moved = shift if shift == ex.ZERO else ex.divide(shift, weight)
            return ex.divide(scale, weight), moved
