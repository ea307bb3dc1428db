"""Loops and branches of the dialects affine and scf."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from streamopt.frontends.mlir.loops.state import applied, bound_of, constant_index
from streamopt.frontends.mlir.text import syntax
from streamopt.frontends.tensors.tensor import LoweringError
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.composing import ZERO, as_condition
from streamopt.ir.source import Branch, RangeLoop

if TYPE_CHECKING:
    from streamopt.frontends.mlir.loops.lowering import LoopLowering

MAX_TRIPS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Range:
    """Bounds of one loop: it walks from the largest lower to the smallest upper one."""

    iterator: syntax.MlirValue
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    step: int


def _affine_for(lowering: LoopLowering, op: syntax.MlirOperation) -> None:
    counts = op.integers("operandSegmentSizes")
    lower_map, upper_map = op.attributes.get("lowerBoundMap"), op.attributes.get("upperBoundMap")
    step = op.attributes.get("step", 1)
    if not isinstance(lower_map, syntax.AffineMap) or not isinstance(upper_map, syntax.AffineMap):
        raise LoweringError("a loop without bounds")
    if len(counts) != 3 or not isinstance(step, int):
        raise LoweringError("a loop without step")
    places = [lowering.state.index(value) for value in op.operands[: counts[0] + counts[1]]]
    lower = tuple(applied(lower_map, places[: counts[0]]))
    upper = tuple(applied(upper_map, places[counts[0] :]))
    initial = op.operands[counts[0] + counts[1] :]
    _loops(lowering, op, [_Range(op.blocks[0].arguments[0], lower, upper, step)], initial)


def _scf_for(lowering: LoopLowering, op: syntax.MlirOperation) -> None:
    lower, upper = (bound_of(lowering.state, value) for value in op.operands[:2])
    if lower[0] == "min" or upper[0] == "max":
        raise LoweringError("a loop from a minimum, or to a maximum, is not affine")
    step = constant_index(lowering.state, op.operands[2])
    walk = _Range(op.blocks[0].arguments[0], lower[1], upper[1], step)
    _loops(lowering, op, [walk], op.operands[3:])


def _affine_parallel(lowering: LoopLowering, op: syntax.MlirOperation) -> None:
    if op.results:
        raise LoweringError("affine.parallel with results is not supported", "use affine.for")
    lower_map, upper_map = op.attributes.get("lowerBoundsMap"), op.attributes.get("upperBoundsMap")
    if not isinstance(lower_map, syntax.AffineMap) or not isinstance(upper_map, syntax.AffineMap):
        raise LoweringError("a loop without bounds")
    places = [lowering.state.index(value) for value in op.operands]
    split = lower_map.dims + lower_map.symbols
    lower = _grouped(op, "lowerBoundsGroups", tuple(applied(lower_map, places[:split])))
    upper = _grouped(op, "upperBoundsGroups", tuple(applied(upper_map, places[split:])))
    each = zip(op.blocks[0].arguments, lower, upper, op.integers("steps"), strict=True)
    _loops(lowering, op, [_Range(*parts) for parts in each])


def _grouped(
    op: syntax.MlirOperation, name: str, bounds: tuple[Affine, ...]
) -> list[tuple[Affine, ...]]:
    groups = op.attributes.get(name)
    assert isinstance(groups, syntax.Dense)
    assert groups.values is not None
    rest = iter(bounds)
    return [tuple(islice(rest, int(count))) for count in groups.values.reshape(-1)]


def _scf_parallel(lowering: LoopLowering, op: syntax.MlirOperation) -> None:
    if op.results:
        raise LoweringError("scf.parallel with results is not supported", "use scf.for")
    rank = len(op.blocks[0].arguments)
    bounds = [lowering.state.index(value) for value in op.operands[: 2 * rank]]
    steps = [constant_index(lowering.state, value) for value in op.operands[2 * rank : 3 * rank]]
    walks = [
        _Range(argument, (bounds[axis],), (bounds[rank + axis],), steps[axis])
        for axis, argument in enumerate(op.blocks[0].arguments)
    ]
    _loops(lowering, op, walks)


def _loops(
    lowering: LoopLowering,
    op: syntax.MlirOperation,
    walks: Sequence[_Range],
    initial: Sequence[syntax.MlirValue] = (),
) -> None:
    """Add nested loops around a block, and variables for values handed on between iterations."""
    state, block = lowering.state, op.blocks[0]
    handed_on = block.arguments[len(walks) :]
    carried = [state.add_local(a.name or "carried", a.type, op.loc) for a in handed_on]
    for value, target, argument in zip(initial, carried, handed_on, strict=True):
        lowering.assign(target, state.numbers[value.number], op)
        state.numbers[argument.number] = ir.Read(target)
    loops = [_started(lowering, walk) for walk in walks]
    body = lowering.block(block, carried)
    for iterator, lower, upper in reversed(loops):
        body = (RangeLoop(iterator, lower, upper, body, loc=op.loc),)
    lowering.items += body
    for result, target in zip(op.results, carried, strict=True):
        state.numbers[result.number] = ir.Read(target)


def _started(
    lowering: LoopLowering, walk: _Range
) -> tuple[str, tuple[Affine, ...], tuple[Affine, ...]]:
    """Return iterator and bounds of a loop that counts by one, and define its index."""
    if walk.step <= 0:
        raise LoweringError("a loop whose step isn't positive is not supported")
    state = lowering.state
    iterator = state.names.unique(walk.iterator.name or "i")
    index = Affine.iterator(iterator)
    lower, upper = walk.lower, walk.upper
    if walk.step != 1:
        if len(lower) != 1:
            raise LoweringError("a loop with a step from a maximum is not affine")
        start, up = lower[0], Affine.of(walk.step - 1)
        upper = tuple((end - start + up).floordiv(walk.step) for end in upper)
        lower, index = (Affine(),), start + index.scaled(walk.step)
    lows = [state.interval(bound) for bound in lower]
    highs = [state.interval(bound) for bound in upper]
    if None not in lows and None not in highs:
        first = max(found[0] for found in lows if found is not None)
        last = min(found[1] for found in highs if found is not None) - 1
        state.ranges[iterator] = first, max(first, last)
        if last - first >= MAX_TRIPS:
            message = f"a loop of {last - first + 1} iterations is too large"
            raise LoweringError(message, f"up to {MAX_TRIPS} iterations", "E155")
    state.numbers[walk.iterator.number] = ir.Index(index)
    return iterator, lower, upper


def _affine_if(lowering: LoopLowering, op: syntax.MlirOperation) -> None:
    found = op.attributes.get("condition")
    if not isinstance(found, syntax.IntegerSet):
        raise LoweringError("a branch without condition")
    places = [lowering.state.index(value) for value in op.operands]
    conditions: list[ir.Condition] = [
        ir.Compare(ir.CompareOp.EQ if is_equality else ir.CompareOp.GE, ir.Index(value), ZERO)
        for is_equality, value in zip(found.is_equality, applied(found.map, places), strict=True)
    ] or [ir.Compare(ir.CompareOp.EQ, ZERO, ZERO)]
    _branch(lowering, op, ir.all_of(conditions))


def _branch(lowering: LoopLowering, op: syntax.MlirOperation, condition: ir.Condition) -> None:
    state = lowering.state
    targets = [state.add_local(r.name or "chosen", r.type, op.loc) for r in op.results]
    parts = [lowering.block(region[0], targets) if region else () for region in op.regions]
    otherwise = parts[1] if len(parts) > 1 else ()
    lowering.items.append(Branch(condition, parts[0], otherwise, loc=op.loc))
    for result, target in zip(op.results, targets, strict=True):
        state.numbers[result.number] = ir.Read(target)


REGIONS: Mapping[str, Callable[[LoopLowering, syntax.MlirOperation], None]] = {
    "affine.for": _affine_for,
    "affine.if": _affine_if,
    "affine.parallel": _affine_parallel,
    "scf.for": _scf_for,
    "scf.if": lambda lowering, op: _branch(
        lowering, op, as_condition(lowering.state.numbers[op.operands[0].number])
    ),
    "scf.parallel": _scf_parallel,
}
