"""``linalg.generic`` taken apart: loops with extents, what is read where, and what is computed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from streamopt.frontends.mlir.scalars import scalar
from streamopt.frontends.mlir.text import syntax
from streamopt.frontends.tensors.tensor import LoweringError
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.operators import Reduction

MAX_NODES = 2000
"""Most operations of one body, counted at every use."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor or scalar that a structured operation reads, and where: over ``d0, d1, ...``."""

    value: syntax.MlirValue
    subscripts: tuple[Affine, ...]
    positions: tuple[ir.Expression, ...] = ()
    """Where subscripts are computed, their templates. What they find is a tensor over all loops, of
    which the subscripts are then the iterators; else empty."""


@dataclass(frozen=True, slots=True, eq=False)
class Structured:
    """A structured operation."""

    operation: syntax.MlirOperation
    extents: tuple[int, ...]
    """Trip count of each loop, outermost first; iterators are ``d0, d1, ...``."""
    is_reduction: tuple[bool, ...]
    """Whether a loop reduces."""
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    """Where each result is written; the value is what it starts from."""
    extracts: tuple[Operand, ...]
    templates: tuple[ir.Expression, ...]
    """The expression of each result; ``Read`` of ``%n`` stands for operand n: inputs, what outputs
    start from, and what the body extracts from other tensors."""

    @property
    def points(self) -> int:
        """Return the number of iterations."""
        return prod(self.extents)

    @property
    def is_parallel(self) -> bool:
        """Return whether no loop reduces."""
        return not any(self.is_reduction)

    @property
    def is_copy(self) -> bool:
        """Return whether it only moves elements of one operand."""
        is_one_read = len(self.templates) == 1 and isinstance(self.templates[0], ir.Read)
        is_plain = not any(operand.positions for operand in self.used())
        return self.is_parallel and is_one_read and is_plain

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Return inputs, what the outputs start from, and what the body extracts."""
        return (*self.inputs, *self.outputs, *self.extracts)

    def used(self, position: int | None = None) -> tuple[Operand, ...]:
        """Return the operands whose elements matter, to one of the results or to any."""
        names = {_name(position): operand for position, operand in enumerate(self.operands)}
        found: set[str] = set()
        waiting = list(self.templates if position is None else [self.templates[position]])
        while waiting:
            nodes = ir.walk(waiting.pop())
            fresh = {n.access.array for n in nodes if isinstance(n, ir.Read)} - found
            found |= fresh
            waiting += [position for name in fresh for position in names[name].positions]
        return tuple(operand for name, operand in names.items() if name in found)


def structured(op: syntax.MlirOperation, scalars: Mapping[int, ir.Expression]) -> Structured:
    """Take a ``linalg.generic`` apart.

    Parameters
    ----------
    scalars
        Numbers from outside that the body may use, by value.

    Raises
    ------
    LoweringError
        For bodies without an expression, maps that aren't affine and extents that aren't known.
    """
    maps = tuple(m for m in _tuple(op, "indexing_maps") if isinstance(m, syntax.AffineMap))
    kinds = [kind.text for kind in _tuple(op, "iterator_types") if isinstance(kind, syntax.Opaque)]
    if len(maps) != len(op.operands) or not op.blocks:
        raise LoweringError(f"{op.name} without indexing maps is not supported")
    operands = tuple(
        Operand(value, _affine_results(mapped))
        for value, mapped in zip(op.operands, maps, strict=True)
    )
    split = len(op.operands) - len(op.results)
    extracts, templates = _templates(op.blocks[0], scalars, len(kinds))
    return Structured(
        operation=op,
        extents=_extents(operands, len(kinds)),
        is_reduction=tuple("<reduction>" in kind for kind in kinds),
        inputs=operands[:split],
        outputs=operands[split:],
        extracts=extracts,
        templates=templates,
    )


def term_of(item: Structured, position: int) -> tuple[Reduction, ir.Expression]:
    """Return how a result is reduced, and the template of its terms.

    Raises
    ------
    LoweringError
        If the result isn't a sum, product, maximum or minimum of terms without results.
    """
    own = ir.Read(ir.Access(_name(len(item.inputs) + position), ()))
    reduction, value = _split(item.templates[position], own)
    results = {_name(n) for n in range(len(item.inputs), len(item.operands))}
    if any(isinstance(node, ir.Read) and node.access.array in results for node in ir.walk(value)):
        raise LoweringError(
            "this reduction is not a sum, product, maximum or minimum",
            "positions of a maximum (argmax) and other searches don't stream",
        )
    return reduction, value


def update_of(op: syntax.MlirOperation) -> ir.Expression:
    """Return the template of a scatter: operand 0 is the part, 1 the elements before."""
    extracts, (template,) = _templates(op.blocks[0], {}, 0)
    if extracts:
        raise LoweringError(f"{op.name} that reads elsewhere is not supported")
    return template


def filled(
    template: ir.Expression, read: Callable[[int], ir.Expression], iterators: Mapping[str, Affine]
) -> ir.Expression:
    """Return a template with its operands read and its iterators replaced."""
    match template:
        case ir.Read(access):
            return read(int(access.array[1:]))
        case ir.Index(value):
            return ir.Index(value.substitute(iterators))
        case ir.Compare(ir.CompareOp.NE, ir.Read(access), ir.Literal(0.0)):
            value = read(int(access.array[1:]))
            if isinstance(value, ir.Compare | ir.Logic):
                return value
            return ir.Compare(ir.CompareOp.NE, value, ir.Literal(0.0))
        case _:
            inner = [filled(child, read, iterators) for child in ir.children(template)]
            if not isinstance(template, ir.Logic):
                keep = 1 if isinstance(template, ir.Select) else 0
                inner[keep:] = [ex.as_number(value) for value in inner[keep:]]
            return ir.rebuild(template, tuple(inner))


def occurrences(template: ir.Expression, position: int) -> int:
    """Return how often a template reads an operand."""
    return ex.occurrences(template, _name(position))


def _name(position: int) -> str:
    return f"%{position}"


def _tuple(op: syntax.MlirOperation, name: str) -> tuple[object, ...]:
    found = op.attributes.get(name)
    return found if isinstance(found, tuple) else ()


def _affine_results(mapped: syntax.AffineMap) -> tuple[Affine, ...]:
    results = tuple(result for result in mapped.results if result is not None)
    if len(results) != len(mapped.results) or mapped.symbols:
        raise LoweringError("an indexing map is not affine")
    return results


def _extents(operands: tuple[Operand, ...], loops: int) -> tuple[int, ...]:
    """Return the trip counts: extents of the dimensions that one iterator alone walks."""
    found: dict[str, int] = {}
    for operand in operands:
        for subscript, extent in zip(operand.subscripts, operand.value.type.shape, strict=False):
            name = subscript.as_iterator()
            if name is not None:
                found.setdefault(name, extent)
    extents = tuple(found.get(f"d{position}", syntax.DYNAMIC) for position in range(loops))
    if syntax.DYNAMIC in extents:
        hint = "give every dimension a number; tensors of unknown size don't stream"
        raise LoweringError("the extent of a loop is not known", hint)
    return extents


def _templates(
    block: syntax.Block, scalars: Mapping[int, ir.Expression], loops: int
) -> tuple[tuple[Operand, ...], tuple[ir.Expression, ...]]:
    """Return the elements that a body extracts from tensors outside, and its results."""
    known: dict[int, ir.Expression] = {
        argument.number: ir.Read(ir.Access(_name(position), ()))
        for position, argument in enumerate(block.arguments)
    }
    extracts: list[Operand] = []
    sizes: dict[int, int] = {}
    for op in block.operations:
        if op.name in ("linalg.yield", "tm_tensor.yield"):
            return tuple(extracts), tuple(_operand(value, known, scalars) for value in op.operands)
        if op.name == "cf.assert":
            continue
        if len(op.results) != 1:
            raise LoweringError(f"operation {op.name} is not supported inside linalg")
        number = op.results[0].number
        if op.name == "linalg.index":
            known[number] = ir.Index(Affine.iterator(f"d{op.attributes.get('dim')}"))
        elif op.name == "tensor.extract":
            known[number] = ir.Read(ir.Access(_name(len(block.arguments) + len(extracts)), ()))
            indices = [_operand(value, known, scalars) for value in op.operands[1:]]
            extracts.append(_extract(op.operands[0], indices, loops))
        else:
            operands = [_operand(value, known, scalars) for value in op.operands]
            size = 1 + sum(sizes.get(value.number, 1) for value in op.operands)
            if size > MAX_NODES:
                raise LoweringError(f"the body computes more than {MAX_NODES} operations")
            sizes[number] = size
            known[number] = scalar(op, operands)
    raise LoweringError("the body yields nothing")


def _extract(source: syntax.MlirValue, indices: Sequence[ir.Expression], loops: int) -> Operand:
    subscripts = tuple(map(ir.as_affine, indices))
    affine = tuple(subscript for subscript in subscripts if subscript is not None)
    if len(affine) == len(subscripts):
        return Operand(source, affine)
    over_all = tuple(Affine.iterator(f"d{loop}") for loop in range(loops))
    return Operand(source, over_all, tuple(indices))


def _operand(
    value: syntax.MlirValue,
    known: Mapping[int, ir.Expression],
    scalars: Mapping[int, ir.Expression],
) -> ir.Expression:
    found = known.get(value.number, scalars.get(value.number))
    if found is None:
        raise LoweringError("the body uses a value from outside that is no constant")
    return found


def _split(template: ir.Expression, own: ir.Read) -> tuple[Reduction, ir.Expression]:
    match template:
        case ir.Binary(ir.BinaryOp.ADD | ir.BinaryOp.MUL as op, left, right):
            kind = Reduction(op.value)
        case ir.Call(ir.Function.MAX | ir.Function.MIN as function, (left, right)):
            kind = Reduction(function.value)
        case _:
            raise LoweringError("this reduction is not a sum, product, maximum or minimum")
    if left == own:
        return kind, right
    if right == own:
        return kind, left
    # (own + a) + b adds a + b; likewise for the others.
    for inner, outer in ((left, right), (right, left)):
        if any(node == own for node in ir.walk(inner)):
            nested, value = _split(inner, own)
            if nested is kind:
                return kind, ir.rebuild(template, (value, outer))
    raise LoweringError("this reduction is not a sum, product, maximum or minimum")
