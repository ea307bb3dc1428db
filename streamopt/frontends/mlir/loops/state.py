"""The state of a lowering of loops: variables, indices, views, numbers, and uses of values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic
from streamopt.frontends.mlir.loops.memory import View
from streamopt.frontends.mlir.scalars import ELEMENT_HINT, as_affine, is_scalar_operation
from streamopt.frontends.mlir.text.syntax import DYNAMIC, element_type, operations_inside
from streamopt.frontends.tensors.tensor import LoweringError, UniqueNames
from streamopt.ir.expression import Access, Expression
from streamopt.ir.source import Variable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from streamopt.errors import SourceLoc
    from streamopt.frontends.mlir.text.syntax import Block, MlirOperation, MlirValue, Type
    from streamopt.ir.affine import Affine

__all__ = ["BlockUses", "LoopState", "block_uses"]


MAX_ELEMENTS = 2**31 - 1
MAX_DIMENSIONS = 32


@dataclass(slots=True)
class LoopState:
    """Values by number; `names` keeps variables and iterators apart.

    Attributes
    ----------
    bounds
        Values that are the smallest or largest of several indices.
    ranges
        Lowest and highest value of each iterator whose loop has constant bounds.
    highest
        Highest subscript of each dimension whose extent isn't in the text, by variable.
    """

    file: str
    names: UniqueNames = field(default_factory=UniqueNames)
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    values: dict[str, NDArray[Any]] = field(default_factory=dict[str, Any])
    numbers: dict[int, Expression] = field(default_factory=dict[int, Expression])
    views: dict[int, View] = field(default_factory=dict[int, View])
    bounds: dict[int, tuple[str, tuple[Affine, ...]]] = field(
        default_factory=dict[int, tuple[str, tuple["Affine", ...]]]
    )
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    highest: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    problems: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def report(self, code: str, message: str, op: MlirOperation, hint: str = "") -> None:
        """Note a problem at an operation."""
        self.problems.append(Diagnostic(code, message, op.loc, hint))

    def add_variable(
        self, name: str, kind: Type, loc: SourceLoc, *, is_argument: bool = False
    ) -> Variable:
        """Declare a variable of a memref or scalar type.

        Raises LoweringError for element types that programs don't have, and what is too large.
        """
        element = element_type(kind.element)
        if element is None or kind.kind not in ("memref", "scalar"):
            raise LoweringError(f"type {kind.text} is not supported", ELEMENT_HINT)
        if (
            prod(n for n in kind.shape if n != DYNAMIC) > MAX_ELEMENTS
            or len(kind.shape) > MAX_DIMENSIONS
        ):
            message = f"{kind.text} is too large"
            hint = f"up to {MAX_ELEMENTS} elements in {MAX_DIMENSIONS} dimensions"
            raise LoweringError(message, hint, "E155")
        unique = self.names.unique(name)
        variable = Variable(unique, kind.shape, element, is_argument, loc=loc)
        self.variables[unique] = variable
        if DYNAMIC in kind.shape:
            self.highest[unique] = [0] * len(kind.shape)
        return variable

    def add_local(self, name: str, kind: Type, loc: SourceLoc) -> Access:
        """Declare a local scalar and return how it is written."""
        return Access(self.add_variable(name, kind, loc).name, ())

    def view(self, value: MlirValue) -> View:
        """Return the memref that a value is; raises KeyError if it has been reported."""
        return self.views[value.number]

    def index(self, value: MlirValue) -> Affine:
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

    def note_access(self, access: Access, op: MlirOperation) -> None:
        """Remember how far an access reaches, where the variable's extent isn't in the text."""
        if access.array not in self.highest:
            return
        for axis, subscript in enumerate(access.subscripts):
            interval = self.interval(subscript)
            if interval is not None:
                reached = self.highest[access.array]
                reached[axis] = max(reached[axis], interval[1] + 1)
            elif self.variables[access.array].shape[axis] == DYNAMIC:
                message = f"the extent of dimension {axis} of {access.array} can't be told"
                self.report("E153", message, op, "write the extent into the memref's type")

    def read(self, value: MlirValue) -> Expression:
        """Return a number; raises KeyError if it has been reported."""
        return self.numbers[value.number]

    def settled_variables(self, written: set[str]) -> tuple[Variable, ...]:
        """Return the variables with all extents known and constness as it turned out."""
        found: list[Variable] = []
        for name, variable in self.variables.items():
            shape = tuple(
                self.highest[name][axis] if extent == DYNAMIC else extent
                for axis, extent in enumerate(variable.shape)
            )
            found.append(replace(variable, shape=shape, is_constant=name not in written))
        return tuple(found)


STORES = ("affine.store", "memref.store", "memref.copy")


@dataclass(frozen=True, slots=True)
class BlockUses:
    """Uses by position in one block.

    Attributes
    ----------
    counts
        How often each value is used, inside later operations too.
    lasts
        Position up to which each value must keep what it is: where it, or what is computed of
        it, is stored, branched on, looped over or handed on.
    stores
        Whether the operation at a position stores something anywhere.
    """

    counts: Mapping[int, int]
    lasts: Mapping[int, int]
    stores: tuple[frozenset[int], ...]

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


def block_uses(block: Block) -> BlockUses:
    """Return the uses of values in a block."""
    counts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    for position in range(len(block.operations) - 1, -1, -1):
        op = block.operations[position]
        inner = list(operations_inside(op))
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


def _stored(op: MlirOperation) -> frozenset[int]:
    """Return the memrefs that an operation stores to; and -1 if it has regions."""
    found = {value for each in (op, *operations_inside(op)) for value in _targets(each)}
    return frozenset(found | ({-1} if op.blocks else set()))


def _targets(op: MlirOperation) -> set[int]:
    return {op.operands[1].number} if op.name in STORES else set()
