"""Functions of single elements, of tensors that broadcast as NumPy's do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from streamopt.frontends.tensors.builder import MAX_DEPTH, MAX_OPERATIONS, ProgramBuilder
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.element import ElementType


def broadcast_shape(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape in which tensors meet; raises LoweringError if there is none."""
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result: list[int] = []
    for extents in zip(*padded, strict=True):
        wide = {extent for extent in extents if extent != 1}
        if len(wide) > 1:
            listed = " and ".join(str(list(shape)) for shape in shapes)
            raise LoweringError(f"shapes {listed} don't broadcast to one")
        result.append(wide.pop() if wide else 1)
    return tuple(result)


def broadcast(tensor: LazyTensor, shape: Sequence[int]) -> LazyTensor:
    """Return the tensor repeated along dimensions that it lacks or has once."""
    if tensor.shape == tuple(shape):
        return tensor
    if broadcast_shape(tensor.shape, shape) != tuple(shape):
        raise LoweringError(f"shape {list(tensor.shape)} doesn't broadcast to {list(shape)}")
    missing = len(shape) - tensor.rank
    return tensor.view(
        shape,
        lambda point: point.to(
            Affine() if extent == 1 else index
            for extent, index in zip(tensor.shape, point.indices[missing:], strict=True)
        ),
    )


def elementwise(
    builder: ProgramBuilder,
    function: Callable[..., ir.Expression],
    *operands: LazyTensor,
    element: ElementType | None = None,
    is_truth: bool = False,
) -> LazyTensor:
    """Return the tensor of a function of each element.

    Computes at every read; operands that would be computed more often than they have elements
    become arrays.

    Parameters
    ----------
    function
        From one expression per operand to the result; gets conditions of tensors of truth values.
    element
        Type of the result; that of the first operand if None.
    """
    shape = broadcast_shape(*(operand.shape for operand in operands))
    probes = [ir.Read(ir.Access(f"{at}", ())) for at in range(len(operands))]
    pairs = list(zip(operands, probes, strict=True))
    sample = function(*(ex.as_condition(p) if o.is_truth else p for o, p in pairs))
    ready = [
        _operand(builder, operand, shape, ex.occurrences(sample, probe.access.array))
        for operand, probe in pairs
    ]
    own = ex.size(sample)
    while own + sum(o.operations for o in ready) > MAX_OPERATIONS:
        largest = max(range(len(ready)), key=lambda at: ready[at].operations)
        if not ready[largest].operations:
            break
        ready[largest] = builder.store(ready[largest])
    same = [o for o in ready if o.shape == shape and o.axes]
    wide = [broadcast(operand, shape) for operand in ready]
    result = element or operands[0].element
    narrow = not is_truth and not result.is_float and result.bits < 32

    def value(point: ElementPoint) -> ir.Expression:
        computed = function(*(operand.at(point) for operand in wide))
        return ir.Cast(result, computed) if narrow else computed

    return LazyTensor(
        shape,
        result,
        value,
        name=builder.label,
        axes=same[0].axes if same else (),
        operations=own + sum(o.operations for o in ready),
        depth=1 + max((o.depth for o in wide), default=0),
        is_truth=is_truth,
        loc=builder.loc,
    )


def _operand(
    builder: ProgramBuilder, operand: LazyTensor, shape: tuple[int, ...], times: int
) -> LazyTensor:
    """Return the operand, as an array if its elements would be computed again and again."""
    repeated = times > 1 or operand.size_elems < prod(shape)
    if operand.depth > MAX_DEPTH or (repeated and operand.operations):
        return builder.store(operand)
    return operand


def truths(tensor: LazyTensor) -> LazyTensor:
    """Return numbers as whether they aren't 0; nothing is computed until they are read."""

    def value(point: ElementPoint) -> ir.Expression:
        return ex.as_condition(tensor.at(point))

    return replace(tensor, value=value, is_truth=True, array="")


def _truth(
    builder: ProgramBuilder, function: Callable[..., ir.Expression], *operands: LazyTensor
) -> LazyTensor:
    return elementwise(builder, function, *operands, element=ElementType.UINT8, is_truth=True)


def compare(
    builder: ProgramBuilder, op: ir.CompareOp, left: LazyTensor, right: LazyTensor
) -> LazyTensor:
    """Return the truth values of a comparison."""

    def function(a: ir.Expression, b: ir.Expression) -> ir.Expression:
        return ir.Compare(op, ex.as_number(a), ex.as_number(b))

    return _truth(builder, function, left, right)


def connect(
    builder: ProgramBuilder, op: ir.LogicOp, left: LazyTensor, right: LazyTensor
) -> LazyTensor:
    """Return the truth values of both operands joined; numbers count as whether they aren't 0."""

    def function(*operands: ir.Expression) -> ir.Expression:
        return ir.Logic(op, tuple(map(ex.as_condition, operands)))

    return _truth(builder, function, left, right)


def opposite(builder: ProgramBuilder, operand: LazyTensor) -> LazyTensor:
    """Return the truth values that hold where those of the operand don't."""

    def function(a: ir.Expression) -> ir.Expression:
        return ir.negated(ex.as_condition(a))

    return _truth(builder, function, operand)


def choose(
    builder: ProgramBuilder, condition: LazyTensor, then: LazyTensor, otherwise: LazyTensor
) -> LazyTensor:
    """Return ``then`` where the condition holds and ``otherwise`` elsewhere."""

    def function(c: ir.Expression, a: ir.Expression, b: ir.Expression) -> ir.Expression:
        return ir.Select(ex.as_condition(c), ex.as_number(a), ex.as_number(b))

    return elementwise(builder, function, condition, then, otherwise, element=then.element)


def cast(builder: ProgramBuilder, operand: LazyTensor, element: ElementType) -> LazyTensor:
    """Return the tensor in another element type, converted as C does."""
    if operand.element is element and not operand.is_truth:
        return operand

    def function(a: ir.Expression) -> ir.Expression:
        return ir.Cast(element, ex.as_number(a))

    return elementwise(builder, function, operand, element=element)
