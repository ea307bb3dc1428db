"""Accesses and operations of one pipeline, as the statements of its body ask for them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pycparser import c_ast as ast

from streamopt.errors import SourceLoc
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.syntax.files import CFile
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType, common_type
from streamopt.ir.expression import Compare, CompareOp, Condition, Index, Literal, all_of, conjuncts
from streamopt.ir.network import AccessMode, Implementation, Operation, PartialTile, Port
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop
from streamopt.published.hls.directives import Store

INDEX_CONDITION = "(index condition)"
"""Operand of a choice that indices alone decide."""

_MOST_STEPS = 400_000

Value: TypeAlias = Affine | str
"""A whole number known up to the iteration, or the name of a value; empty if it has none yet."""


@dataclass(slots=True, eq=False)
class Registers:
    """An array that lives for one iteration, in registers."""

    element: ElementType
    values: dict[tuple[int, ...], Value] = field(default_factory=dict[tuple[int, ...], "Value"])
    """Of the elements that were written, by their places."""
    terms: str = ""
    """Name of a value of which some lanes write one each, which a tree then combines."""


Binding: TypeAlias = Value | Store | Registers
"""Meaning of a name of the source."""


@dataclass(slots=True, eq=False)
class HlsReading:
    """The file and the problems that all readers of a design share, and the nodes they read."""

    file: CFile
    problems: Problems
    _steps: int = 0

    def spend(self, node: ast.Node) -> None:
        """Count a node; raises LimitError (E139) for one that nobody would wait for."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            message = "the design is too large once its loops are written out"
            raise LimitError(message, self.file.loc(node))

    def report(self, code: str, message: str, node: ast.Node | SourceLoc, hint: str = "") -> None:
        """Collect a problem at a node."""
        loc = self.file.loc(node) if isinstance(node, ast.Node) else node
        self.problems.report(code, message, loc, hint)


class AccessReader:
    """Collects the ports and operations of one pipeline.

    Parameters
    ----------
    bindings
        By name of the source, at the beginning of the body.
    tiles
        The pipelined loops.

    Attributes
    ----------
    trips
        Of the tiles, and of the lanes once they are chosen.
    guards
        Conditions under which the statement that is read is executed.
    path
        The lanes around it.
    updated
        Names of the stores that the body writes.
    """

    def __init__(
        self, reading: HlsReading, bindings: dict[str, Binding], tiles: Sequence[Loop]
    ) -> None:
        self.reading = reading
        self.bindings = bindings
        self.trips: dict[str, int] = {loop.name: loop.trip_count for loop in tiles}
        self.tiles = frozenset(self.trips)
        self.ports: list[Port] = []
        self.operations: list[Operation] = []
        self.guards: list[Condition] = []
        self.path: list[str] = []
        self.partial: dict[PartialTile, None] = {}
        self.updated: set[str] = set()
        self._elements: dict[str, ElementType] = {}
        self._reads: dict[Port, str] = {}
        self._made: dict[Operation, str] = {}
        self._serial = 0

    def refuse(self, code: str, message: str, node: ast.Node, hint: str = "") -> str:
        """Report a problem and return a value in its place."""
        self.reading.report(code, message, node, hint)
        return "0"

    def element_of_value(self, value: Value) -> ElementType | None:
        """Return the type of a value; None of a constant."""
        return self._elements.get(str(value))

    def name(self, letter: str, element: ElementType) -> str:
        """Return a new name of a value."""
        self._serial += 1
        found = f"{letter}{self._serial}"
        self._elements[found] = element
        return found

    def operate(
        self, operator: Operator, *operands: Value, element: ElementType | None = None
    ) -> str:
        """Return the name of an operation's result; the same operation is made once."""
        names = tuple(map(str, operands))
        for name in names if element is None else ():
            element = common_type(element, self._elements.get(name))
        if element is None:
            whole = all(isinstance(o, Affine) or o == INDEX_CONDITION for o in operands)
            element = ElementType.INT32 if whole else ElementType.FLOAT
        asked = Operation(operator, element, names, "")
        if asked not in self._made:
            self._made[asked] = result = self.name("t", element)
            self.operations.append(replace(asked, result=result))
        return self._made[asked]

    def bind_operator(self, name: str, said: str) -> None:
        """Have the operation behind a variable built as ``bind_op`` says; equal ones once."""
        value = self.bindings.get(name)
        if said not in {*Implementation} or not self.operations:
            return
        last = self.operations[-1]
        if last.result != value or last.implementation is not None:
            return
        self._made.pop(replace(last, result=""), None)
        del self.operations[-1]
        asked = replace(last, result="", implementation=Implementation(said))
        if asked not in self._made:
            self._made[asked] = last.result
            self.operations.append(replace(asked, result=last.result))
        self.bindings[name] = self._made[asked]

    def take(self, store: Store, at: tuple[Affine, ...]) -> str:
        """Add a read and return its value's name; an element is read once until it is written."""
        port = self._port(AccessMode.READ, store, at, "")
        if not store.is_stream and port in self._reads:
            return self._reads[port]
        value = self._reads[port] = self.name("v", store.element)
        self.ports.append(replace(port, value=value))
        return value

    def put(self, store: Store, at: tuple[Affine, ...], value: Value) -> None:
        """Add a write."""
        self.ports.append(self._port(AccessMode.WRITE, store, at, str(value)))
        self._reads = {p: read for p, read in self._reads.items() if p.target != store.name}

    def _port(self, mode: AccessMode, store: Store, at: tuple[Affine, ...], value: str) -> Port:
        """Return an access; that of a stream happens once, whatever lanes there are beside it."""
        parts = [*dict.fromkeys(p for guard in self.guards for p in conjuncts(guard))]
        if store.is_stream:
            here = {*self.tiles, *self.path, *(n for place in at for n in place.iterators())}
            beside = (name for name in self.trips if name not in here)
            parts += [
                Compare(CompareOp.EQ, Index(Affine.iterator(name)), Literal(0)) for name in beside
            ]
        return Port(mode, store.name, at, value, all_of(parts) if parts else None)
