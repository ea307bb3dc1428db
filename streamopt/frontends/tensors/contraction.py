"""Products of matrices: sums over one pair of dimensions."""

from collections.abc import Mapping, Sequence

from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.elementwise import broadcast_shape, elementwise
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.frontends.tensors.views import squeezed, transposed, unsqueezed
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.expression import Expression
from streamopt.ir.operators import Reduction

_BATCH_AXES = ("a", "n", "b", "h")


def matmul(builder: ProgramBuilder, left: LazyTensor, right: LazyTensor) -> LazyTensor:
    """Return the product with NumPy's rules: leading dimensions broadcast, vectors are allowed.

    Raises
    ------
    LoweringError
        For a scalar operand or shapes that don't fit.
    """
    if not left.rank or not right.rank:
        raise LoweringError("a matrix product has a scalar operand")
    if left.rank == 1:
        product = matmul(builder, unsqueezed(left, [0]), right)
        return squeezed(product, [product.rank - 2 if right.rank > 1 else 0])
    if right.rank == 1:
        return squeezed(matmul(builder, left, unsqueezed(right, [1])), [left.rank - 1])
    if left.shape[-1] != right.shape[-2]:
        message = f"shapes {list(left.shape)} and {list(right.shape)} don't multiply: "
        raise LoweringError(f"{message}the sum is over {left.shape[-1]} and {right.shape[-2]}")
    batch = broadcast_shape(left.shape[:-2], right.shape[:-2])
    is_wide = len(batch) > len(_BATCH_AXES)
    names = [f"b{at}" for at in range(len(batch))] if is_wide else _BATCH_AXES[4 - len(batch) :]
    extents = {**dict(zip(names, batch, strict=True)), "i": left.shape[-2], "j": right.shape[-1]}
    sides = ((left, ("i", "k")), (right, ("k", "j")))
    inputs = [(*names[len(names) - side.rank + 2 :], *own) for side, own in sides]
    every = {**extents, "k": left.shape[-1]}
    return _summed(builder, (left, right), inputs, tuple(extents), every)


def _summed(
    builder: ProgramBuilder,
    operands: Sequence[LazyTensor],
    inputs: Sequence[Sequence[str]],
    output: Sequence[str],
    extents: Mapping[str, int],
) -> LazyTensor:
    """Return the sums of products over the letters of the inputs that the output lacks."""
    inner = [letter for letter in extents if letter not in output]
    places = {letter: at for at, letter in enumerate((*output, *inner))}
    settled = [builder.settled(operand) for operand in operands]

    def term(point: ElementPoint) -> Expression:
        factors = [
            operand.at(
                point.to(
                    Affine() if extent == 1 else point.indices[places[letter]]
                    for letter, extent in zip(letters, operand.shape, strict=True)
                )
            )
            for letters, operand in zip(inputs, settled, strict=True)
        ]
        return ex.product(*factors)

    def loops(letters: Sequence[str]) -> list[tuple[str, int]]:
        names = [f"e{letter}" if letter.isdigit() else letter for letter in letters]
        return [(name, extents[letter]) for name, letter in zip(names, letters, strict=True)]

    element = operands[0].element
    return builder.reduce(loops(output), loops(inner), Reduction.ADD, term, element=element)


def gemm(
    builder: ProgramBuilder,
    left: LazyTensor,
    right: LazyTensor,
    addend: LazyTensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transpose_left: bool = False,
    transpose_right: bool = False,
) -> LazyTensor:
    """Return ``alpha * left @ right + beta * addend`` of matrices."""
    if left.rank != 2 or right.rank != 2:
        raise LoweringError(f"gemm takes matrices, not {left.rank} and {right.rank} dimensions")
    left = transposed(left, (1, 0)) if transpose_left else left
    right = transposed(right, (1, 0)) if transpose_right else right
    result = matmul(builder, left, right)
    if alpha != 1.0:
        result = elementwise(builder, ex.multiply, splat(alpha, result.element), result)
    if addend is None or beta == 0.0:
        return result
    if beta != 1.0:
        addend = elementwise(builder, ex.multiply, splat(beta, addend.element), addend)
    return elementwise(builder, ex.add, result, addend)


def einsum(builder: ProgramBuilder, equation: str, operands: Sequence[LazyTensor]) -> LazyTensor:
    """Return the sum of products that an equation such as ``bij,bjk->bik`` says.

    Raises
    ------
    LoweringError
        If the equation doesn't fit the operands.
    """
    inputs, output = _subscripts(equation, [operand.rank for operand in operands])
    extents: dict[str, int] = {}
    for letters, operand in zip(inputs, operands, strict=True):
        for letter, extent in zip(letters, operand.shape, strict=True):
            if extents.setdefault(letter, extent) == 1:
                extents[letter] = extent
            elif extent not in (1, extents[letter]):
                message = f"{equation!r} has extents {extents[letter]} and {extent} for {letter}"
                raise LoweringError(message)
    if any(letter not in extents for letter in output) or len(set(output)) < len(output):
        raise LoweringError(f"{equation!r} has an output that its inputs don't give")
    return _summed(builder, operands, inputs, output, extents)


def _subscripts(equation: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """Return the letters of each operand and of the result; digits for what ``...`` stands for."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise LoweringError(f"{equation!r} is for {len(inputs)} operands, not {len(ranks)}")
    free = [
        rank - len(letters.replace("...", "")) if "..." in letters else 0
        for letters, rank in zip(inputs, ranks, strict=True)
    ]
    widest = max(free)
    if not arrow:
        once = [c for c in sorted(set(left)) if c.isalpha() and left.count(c) == 1]
        right = ("..." if widest else "") + "".join(once)
    digits = "0123456789"[:widest]
    expanded = [
        letters.replace("...", digits[widest - each :] if each > 0 else "")
        for letters, each in zip(inputs, free, strict=True)
    ]
    fits = all(len(a) == rank for a, rank in zip(expanded, ranks, strict=True))
    together = "".join((*expanded, right.replace("...", "")))
    plain = together.isascii() and (together.isalnum() or not together)
    if not fits or not plain or widest > 9 or min(free) < 0:
        raise LoweringError(f"{equation!r} doesn't fit operands of {list(ranks)} dimensions")
    return expanded, right.replace("...", digits)
