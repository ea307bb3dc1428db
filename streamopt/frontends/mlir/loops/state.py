"""The state of a lowering of loops: variables, index arithmetic, views and uses of values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from numpy.typing import NDArray

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.frontends.mlir.loops.memory import View
from streamopt.frontends.mlir.scalars import ELEMENT_HINT, is_scalar_operation
from streamopt.frontends.mlir.text import syntax
from streamopt.frontends.tensors.tensor import LoweringError, UniqueNames
from streamopt.ir.affine import LARGEST, Affine, NotAffine
from streamopt.ir.expression import Access, BinaryOp, Expression, Index, as_affine
from streamopt.ir.source import Variable

MAX_ELEMENTS = 2**31 - 1
MAX_DIMENSIONS = 32


@dataclass(slots=True)
class LoopState:
    """Values by number; `names` keeps variables and iterators apart."""

    file: str
    names: UniqueNames = field(default_factory=UniqueNames)
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    values: dict[str, NDArray[Any]] = field(default_factory=dict[str, Any])
    numbers: dict[int, Expression] = field(default_factory=dict[int, Expression])
    views: dict[int, View] = field(default_factory=dict[int, View])
    bounds: dict[int, tuple[str, tuple[Affine, ...]]] = field(
        default_factory=dict[int, tuple[str, tuple["Affine", ...]]]
    )
    """Values that are the smallest or largest of several indices."""
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """Lowest and highest value of each iterator whose loop has constant bounds."""
    highest: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Highest subscript of each dimension whose extent isn't in the text, by variable."""
    problems: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def report(self, code: str, message: str, op: syntax.MlirOperation, hint: str = "") -> None:
        """Note a problem at an operation."""
        self.problems.append(Diagnostic(code, message, op.loc, hint))

    def add_variable(
        self, name: str, kind: syntax.Type, loc: SourceLoc, *, is_argument: bool = False
    ) -> Variable:
        """Declare a variable of a memref or scalar type.

        Raises LoweringError for element types that programs don't have, and what is too large.
        """
        element = syntax.element_type(kind.element)
        if element is None or kind.kind not in ("memref", "scalar"):
            raise LoweringError(f"type {kind.text} is not supported", ELEMENT_HINT)
        size_elems = prod(n for n in kind.shape if n != syntax.DYNAMIC)
        if size_elems > MAX_ELEMENTS or len(kind.shape) > MAX_DIMENSIONS:
            message = f"{kind.text} is too large"
            hint = f"up to {MAX_ELEMENTS} elements in {MAX_DIMENSIONS} dimensions"
            raise LoweringError(message, hint, "E155")
        unique = self.names.unique(name)
        variable = Variable(unique, kind.shape, element, is_argument, loc=loc)
        self.variables[unique] = variable
        if syntax.DYNAMIC in kind.shape:
            self.highest[unique] = [0] * len(kind.shape)
        return variable

    def add_local(self, name: str, kind: syntax.Type, loc: SourceLoc) -> Access:
        """Declare a local scalar and return how it is written."""
        return Access(self.add_variable(name, kind, loc).name, ())

    def index(self, value: syntax.MlirValue) -> Affine:
        """Return an index as an affine expression.

        Raises LoweringError if it isn't affine in the iterators.
        """
        found = as_affine(self.numbers[value.number])
        if found is None:
            hint = "subscripts are sums of iterators times constants, // and % by constants"
            raise LoweringError("an index is not affine in the iterators", hint)
        return found

    def interval(self, value: Affine) -> tuple[int, int] | None:
        """Return the range of an index; None unless its iterators are known not to be negative."""
        if any(name not in self.ranges or self.ranges[name][0] < 0 for name in value.iterators()):
            return None
        return value.interval(self.ranges)

    def ends(self) -> dict[str, int]:
        """Return one more than the highest value of each iterator that isn't negative."""
        return {name: last + 1 for name, (first, last) in self.ranges.items() if first >= 0}

    def note_access(self, access: Access, op: syntax.MlirOperation) -> None:
        """Remember how far an access reaches, where the variable's extent isn't in the text."""
        if access.array not in self.highest:
            return
        for axis, subscript in enumerate(access.subscripts):
            interval = self.interval(subscript)
            if interval is not None:
                reached = self.highest[access.array]
                reached[axis] = max(reached[axis], interval[1] + 1)
            elif self.variables[access.array].shape[axis] == syntax.DYNAMIC:
                message = f"the extent of dimension {axis} of {access.array} can't be told"
                self.report("E153", message, op, "write the extent into the memref's type")

    def settled_variables(self, written: set[str]) -> tuple[Variable, ...]:
        """Return the variables with all extents known and constness as it turned out."""
        found: list[Variable] = []
        for name, variable in self.variables.items():
            shape = tuple(
                self.highest[name][axis] if extent == syntax.DYNAMIC else extent
                for axis, extent in enumerate(variable.shape)
            )
            found.append(replace(variable, shape=shape, is_constant=name not in written))
        return tuple(found)


STORES = ("affine.store", "memref.store", "memref.copy")


@dataclass(frozen=True, slots=True)
class BlockUses:
    """Uses by position in one block."""

    counts: Mapping[int, int]
    """How often each value is used, inside later operations too."""
    lasts: Mapping[int, int]
    """Position up to which each value must keep what it is: where it, or what is computed of it, is
    stored, branched on, looped over or handed on."""
    stores: tuple[frozenset[int], ...]
    """Whether the operation at a position stores something anywhere."""

    def is_overwritten(self, number: int, position: int, views: frozenset[int]) -> bool:
        """Return whether a load is followed by a store to its variable before its last use.

        Parameters
        ----------
        views
            All memrefs of the variable.
        """
        last = self.lasts.get(number, position)
        between = range(position + 1, min(last, len(self.stores)))
        # An operation that stores at the end has read what it needs, unless it is a loop.
        return any(self.stores[at] & views for at in between) or (
            last < len(self.stores) and -1 in self.stores[last] and bool(self.stores[last] & views)
        )


def block_uses(block: syntax.Block) -> BlockUses:
    """Return the uses of values in a block."""
    counts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    for position in range(len(block.operations) - 1, -1, -1):
        op = block.operations[position]
        inner = list(syntax.operations_inside(op))
        used = [value.number for each in (op, *inner) for value in each.operands]
        until = position
        if is_scalar_operation(op):
            until = max(lasts.get(result.number, position) for result in op.results)
        if op.name.endswith(".yield"):
            until = len(block.operations)
        for number in used:
            counts[number] = counts.get(number, 0) + 1
            lasts[number] = max(lasts.get(number, 0), until)
    return BlockUses(counts, lasts, tuple(map(_stored, block.operations)))


def _stored(op: syntax.MlirOperation) -> frozenset[int]:
    """Return the memrefs that an operation stores to; and -1 if it has regions."""
    stores = [each for each in (op, *syntax.operations_inside(op)) if each.name in STORES]
    return frozenset([store.operands[1].number for store in stores] + [-1] * bool(op.blocks))


_CASTS = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.trunci", "arith.extui")
_ARITHMETIC: Mapping[str, BinaryOp] = {
    "arith.addi": BinaryOp.ADD,
    "arith.subi": BinaryOp.SUB,
    "arith.muli": BinaryOp.MUL,
    "arith.divsi": BinaryOp.DIV,
    "arith.divui": BinaryOp.DIV,
    "arith.floordivsi": BinaryOp.DIV,
    "arith.remsi": BinaryOp.MOD,
    "arith.remui": BinaryOp.MOD,
}
_AFFINE = ("affine.apply", "affine.min", "affine.max", "affine.delinearize_index")


def is_index_operation(op: syntax.MlirOperation) -> bool:
    """Return whether an operation computes an index."""
    if op.name in _AFFINE:
        return True
    is_index = len(op.results) == 1 and op.results[0].type.element == "index"
    return is_index and op.name in (*_ARITHMETIC, *_CASTS, "arith.constant")


def lower_index(state: LoopState, op: syntax.MlirOperation) -> None:
    """Give the result of an index operation its value.

    Raises
    ------
    LoweringError
        If it isn't affine.
    """
    number = op.results[0].number
    if op.name == "arith.constant":
        value = op.attributes.get("value")
        state.numbers[number] = Index(Affine.of(value if isinstance(value, int) else 0))
    elif op.name in _AFFINE:
        _lower_affine(state, op)
    elif op.name in _CASTS:
        state.numbers[number] = state.numbers[op.operands[0].number]
    else:
        state.numbers[number] = Index(_arithmetic(state, op))


def _arithmetic(state: LoopState, op: syntax.MlirOperation) -> Affine:
    left, right = (state.index(value) for value in op.operands)
    interval = (0, LARGEST) if op.name == "arith.floordivsi" else state.interval(left)
    match left.combined(_ARITHMETIC[op.name], right, interval):
        case Affine() as combined:
            return combined
        case NotAffine.NEGATIVE:
            hint = "divide what is never negative, or use arith.floordivsi"
            raise LoweringError("a truncating division of a negative index is not affine", hint)
        case problem:
            raise LoweringError(f"{problem.value} is not affine")


def _lower_affine(state: LoopState, op: syntax.MlirOperation) -> None:
    mapped = op.attributes.get("map")
    if not isinstance(mapped, syntax.AffineMap):
        raise LoweringError(f"operation {op.name} is not supported")
    found = tuple(applied(mapped, [state.index(value) for value in op.operands]))
    number = op.results[0].number
    if op.name == "affine.apply" or len(found) == 1:
        state.numbers[number] = Index(found[0])
    else:
        state.bounds[number] = op.name.rpartition(".")[2], found


def bound_of(state: LoopState, value: syntax.MlirValue) -> tuple[str, tuple[Affine, ...]]:
    """Return a bound of a loop: ``min`` or ``max`` of several, or ``""`` and one expression."""
    return state.bounds.get(value.number) or ("", (state.index(value),))


def applied(mapped: syntax.AffineMap, operands: Sequence[Affine]) -> Iterator[Affine]:
    """Yield the results of a map at operands: dimensions, then symbols.

    Raises
    ------
    LoweringError
        If the map isn't affine.
    """
    names = [*(f"d{n}" for n in range(mapped.dims)), *(f"s{n}" for n in range(mapped.symbols))]
    places = dict(zip(names, operands, strict=True))
    for result in mapped.results:
        if result is None:
            raise LoweringError("an expression is not affine in the iterators")
        yield result.substitute(places)


def constant_index(state: LoopState, value: syntax.MlirValue) -> int:
    """Return an index that is a constant; raises LoweringError if it isn't."""
    found = as_affine(state.numbers[value.number])
    if found is None or found.terms:
        raise LoweringError("a step that is not a constant is not affine")
    return found.constant
