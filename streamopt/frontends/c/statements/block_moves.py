"""``memcpy``, ``memmove`` and ``memset`` of arrays and parts of them, as loops."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements.assignments import nest
from streamopt.frontends.c.symbols import Stored
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import arguments_of
from streamopt.frontends.c.values import accesses, expressions
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.cases import Cases, Fork, cases_of
from streamopt.ir.source import Assign, Branch, Item

FUNCTIONS = ("memcpy", "memmove", "memset")
_ARGUMENTS = 3


@dataclass(frozen=True, slots=True)
class _Piece:
    """Whole rows of a variable, from the begin of a part on."""

    part: Stored
    shape: tuple[int, ...]
    """The extents that hold the elements."""

    def element(self, point: tuple[Affine, ...]) -> ir.Access:
        """Return the access to an element of the piece."""
        offset = self.part.offset or Affine()
        indices = (offset + point[0], *point[1:])
        return ir.Access(self.part.variable, (*self.part.prefix, *indices))


def read_move(node: ast.FuncCall, function: str, state: ReadingState, label: str) -> None:
    """Emit the loops that move a block of memory; problems go to the state."""
    arguments = arguments_of(node)
    if len(arguments) != _ARGUMENTS:
        state.report("E138", f"{function} takes {_ARGUMENTS} arguments", node)
        return
    size = expressions.value_of(arguments[2], state)
    if size is None:
        return
    is_open = size.constant is None and size.is_integer
    sizes = cases_of(_signed(size.tree)) if is_open else None
    _read_sized(node, function, state, label, sizes)


def _signed(size: ir.Expression) -> ir.Expression:
    """Return a size, which is never negative, without conversions to unsigned integers."""
    if isinstance(size, ir.Cast) and not size.element.is_signed:
        return _signed(size.operand)
    operands = ir.children(size)
    if not operands or isinstance(size, ir.Select):
        return size
    return ir.rebuild(size, tuple(map(_signed, operands)))


def _read_sized(
    node: ast.FuncCall, function: str, state: ReadingState, label: str, sizes: Cases | None
) -> None:
    """Emit the loops for a size, or a branch where iterators choose among sizes."""
    if isinstance(sizes, Fork):
        sides: list[tuple[Item, ...]] = []
        for side in (sizes.then, sizes.otherwise):
            with state.block() as emitted:
                _read_sized(node, function, state, label, side)
            sides.append(tuple(emitted))
        then, otherwise = sides
        branch = Branch(sizes.condition, then, otherwise, loc=state.file.loc(node))
        state.source.emit(branch)
        return
    target, second, size = arguments_of(node)
    if sizes is not None and not sizes.terms:
        count = sizes.constant
    else:
        count = expressions.integer_of(size, state, "the size")
    into = _piece(target, count, node, state)
    if function == "memset":
        value = expressions.integer_of(second, state, "the value")
        if into is None or value is None:
            return
        element = into.part.element
        data = bytes([value & 255]) * (element.bits // 8)
        number = int.from_bytes(data, "little", signed=element.is_signed)
        if value != 0 and not (element.is_integer and abs(number) < 2**53):
            hint = "write a loop of assignments"
            state.report("E135", "memset to another value than 0 is not supported", node, hint)
            return
        _emit(into, into.shape, ir.Literal(float(number)), node, state, label)
        return
    source = _piece(second, count, node, state)
    if into is not None and source is not None:
        _copy(into, source, node, state, label)


def _piece(node: ast.Node, size: int | None, call: ast.Node, state: ReadingState) -> _Piece | None:
    while isinstance(node, ast.Cast) and state.file.types[node.to_type].is_pointer:
        node = node.expr
    part = accesses.pointed_part(node, state, rank=1)
    if part is None or size is None:
        return None
    if not part.shape:
        state.report("E135", f"{shown(node)} is not an array", node, "assign it")
        return None
    width = part.element.bits // 8
    if size % width or size <= 0 or size // width > prod(part.shape):
        found = f"{prod(part.shape) * width} bytes" if size > 0 else "elements"
        message = f"{shown(call)} moves {size} bytes, but {shown(node)} has {found}"
        state.report("E138", message, call, "move whole elements, not more than there are")
        return None
    count, inner = size // width, part.shape[1:]
    if count % prod(inner):
        message = f"{shown(call)} moves {count} elements, which are no whole rows"
        state.report("E135", message, call, "move whole rows, or write a loop")
        return None
    return _Piece(part, (count // prod(inner), *inner))


def _copy(
    into: _Piece, source: _Piece, node: ast.FuncCall, state: ReadingState, label: str
) -> None:
    if into.part.element != source.part.element:
        message = f"{shown(node)} copies between elements of different types"
        state.report("E138", message, node, "write a loop of assignments")
        return
    shape, other = into.shape, source.shape
    ahead = (into.part.offset or Affine()) - (source.part.offset or Affine())
    is_same = into.part.variable == source.part.variable and into.part.prefix == source.part.prefix
    is_upward = is_same and ahead.interval(state.loops.ranges)[1] > 0
    if is_upward and ahead.interval(state.loops.ranges)[0] < 0:
        message = f"{shown(node)} copies to the left or to the right, as data decide"
        state.report("E135", message, node, "write a loop of assignments")
        return
    if shape != other and 1 not in (len(shape), len(other)):
        message = f"{shown(node)} copies between arrays of different shapes"
        state.report("E135", message, node, "write a loop of assignments")
        return
    _emit(into, max(shape, other, key=len), source, node, state, label, is_reversed=is_upward)


def _emit(
    into: _Piece,
    shape: tuple[int, ...],
    value: _Piece | ir.Expression,
    node: ast.FuncCall,
    state: ReadingState,
    label: str,
    *,
    is_reversed: bool = False,
) -> None:
    if into.part.is_const:
        target = arguments_of(node)[0]
        state.report("E135", f"{shown(target)} is const, but it is written", node)
        return
    loc = state.file.loc(node)

    def move(point: tuple[Affine, ...]) -> Assign:
        if is_reversed:
            sides = zip(shape, point, strict=True)
            point = tuple(Affine.of(extent - 1) - index for extent, index in sides)
        target = into.element(_folded(point, shape, into))
        if isinstance(value, _Piece):
            return Assign(target, ir.Read(value.element(_folded(point, shape, value))), loc=loc)
        return Assign(target, value, loc=loc)

    state.source.written.add(into.part.variable)
    nest(shape, move, state, label)


def _folded(point: tuple[Affine, ...], shape: tuple[int, ...], piece: _Piece) -> tuple[Affine, ...]:
    """Return the point of a piece that a point of the loops is, which is flat if the piece is."""
    if len(piece.part.shape) == len(shape):
        return point
    total = Affine()
    for index, extent in zip(point, shape, strict=True):
        total = total.scaled(extent) + index
    return (total,)
