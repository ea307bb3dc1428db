"""The state of reading one function: what is declared, written and emitted so far."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.formats.names import NAME_PATTERN, is_reserved
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.symbols import Scope, Stored
from streamopt.frontends.c.syntax.usage import Usage
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.source import Variable

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from streamopt.frontends.c.symbols import Symbol
    from streamopt.frontends.c.syntax.tree import Declaration, Node, Unit
    from streamopt.frontends.c.values.value import Value
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access
    from streamopt.ir.source import Item

__all__ = ["MAX_ITEMS", "State"]

MAX_ITEMS = 3_000
"""Statements of a function, calls inlined: what the analysis of dependences takes in seconds."""

MAX_INLINED_CALLS = 2_000


@dataclass(slots=True)
class State:
    """What is known while a function is read.

    Attributes
    ----------
    scope, usage
        Names, and how they are used, of the function whose text is read: an inlined function
        has its own.
    shared
        What is declared outside of functions, as far as it is used.
    ranges, order
        Interval and depth of each iterator that runs.
    blocks
        Statement lists under construction, innermost last.
    pointers
        Arguments whose first extent is not known before all of the function is read.
    held, followed
        What local integers hold at this place, and all variables that ever did; see `tracking`.
    lasting
        Variables that keep what they hold from one inlined call to the next.
    statics, noted
        What stands for each static variable that changes, and their declarations in order.
    first
        What happens before all else.
    repeated
        For each loop that is open, outermost first: the variables that it may assign.
    calls
        Functions that are being inlined, outermost first.
    guarded
        How many conditional expressions enclose the one that is read.
    """

    unit: Unit
    problems: Problems
    scope: Scope = field(default_factory=Scope)
    shared: dict[str, Symbol] = field(default_factory=dict[str, "Symbol"])
    usage: Usage = field(default_factory=Usage)
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    values: dict[str, tuple[float, ...]] = field(default_factory=dict[str, "tuple[float, ...]"])
    written: set[str] = field(default_factory=set[str])
    taken: set[str] = field(default_factory=set[str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict[str, "tuple[int, int]"])
    order: dict[str, int] = field(default_factory=dict[str, int])
    held: dict[str, Value] = field(default_factory=dict[str, "Value"])
    followed: set[str] = field(default_factory=set[str])
    lasting: set[str] = field(default_factory=set[str])
    statics: dict[Declaration, Symbol] = field(default_factory=dict["Declaration", "Symbol"])
    noted: list[Declaration] = field(default_factory=list["Declaration"])
    first: list[Item] = field(default_factory=list["Item"])
    repeated: list[set[str]] = field(default_factory=list[set[str]])
    blocks: list[list[Item]] = field(default_factory=lambda: [[]])
    pointers: set[str] = field(default_factory=set[str])
    calls: list[str] = field(default_factory=list[str])
    guarded: int = 0
    items: int = 0
    inlined: int = 0

    def report(self, code: str, message: str, node: Node | SourceLoc, hint: str = "") -> None:
        """Collect a problem with a node or a place."""
        loc = node if isinstance(node, SourceLoc) else node.loc
        self.problems.report(code, message, loc, hint)

    def unique(self, name: str) -> str:
        """Return a name for the source that no other has, as like the given one as can be."""
        base = re.sub(r"_{2,}", "_", name[:90])
        base = base if re.match(NAME_PATTERN, base) else f"v{base}"
        base = f"{base.rstrip('_')}_" if is_reserved(base) else base
        found, number = base, self.numbers.get(base, 1)
        while found in self.taken:
            number += 1
            found = f"{base.rstrip('_')}_{number}"
        self.numbers[base] = number
        self.taken.add(found)
        return found

    def add_variable(
        self,
        name: str,
        shape: tuple[int, ...],
        element: ElementType,
        loc: SourceLoc,
        *,
        is_argument: bool = False,
    ) -> Stored:
        """Add a variable to the source and return what stands for it."""
        unique = self.unique(name)
        self.variables[unique] = Variable(unique, shape, element, is_argument, loc=loc)
        return Stored(unique, shape, element)

    def known_element(self, access: Access) -> float | None:
        """Return the value of an element of a constant array, where it is one element."""
        values = self.values.get(access.array)
        if values is None or any(subscript.terms for subscript in access.subscripts):
            return None
        position = 0
        for subscript, extent in zip(
            access.subscripts, self.variables[access.array].shape, strict=True
        ):
            position = position * extent + subscript.constant
        return values[position]

    def is_unset(self, name: str) -> bool:
        """Return whether a local scalar has surely no value yet, at this place of the text."""
        if self.variables[name].is_argument or name in self.written or name in self.lasting:
            return False
        return name not in self.values and not any(name in names for names in self.repeated)

    def emit(self, item: Item) -> None:
        """Append an item to the innermost statement list."""
        self.items += 1
        if self.items > MAX_ITEMS:
            message = f"the function has more than {MAX_ITEMS} statements once calls are inlined"
            raise LimitError(Diagnostic("E139", message, item.loc, "use loops and fewer calls"))
        self.blocks[-1].append(item)

    @contextmanager
    def block(self) -> Generator[list[Item]]:
        """Collect what is emitted inside into a list of its own, in a scope of its own."""
        items: list[Item] = []
        self.blocks.append(items)
        self.scope.enter()
        try:
            yield items
        finally:
            self.scope.leave()
            self.blocks.pop()

    @contextmanager
    def at_start(self) -> Generator[None]:
        """Emit inside what happens before all else."""
        self.blocks.append(self.first)
        try:
            yield
        finally:
            self.blocks.pop()

    @contextmanager
    def function(self, name: str, scope: Scope, usage: Usage) -> Generator[None]:
        """Read another function's text inside."""
        outer = self.scope, self.usage
        self.scope, self.usage = scope, usage
        self.calls.append(name)
        try:
            yield
        finally:
            self.calls.pop()
            self.scope, self.usage = outer

    def in_loop_order(self, value: Affine) -> Affine:
        """Return the sum with iterators from the outermost loop in, so that equal ones compare."""
        if len(value.terms) < 2:
            return value
        ordered = sorted(
            value.terms,
            key=lambda term: (
                not isinstance(term[0], Iter),
                self.order.get(term[0].name, 0) if isinstance(term[0], Iter) else 0,
                str(term[0]),
            ),
        )
        return Affine(tuple(ordered), value.constant)

    def finished_variables(self, outputs: Sequence[str]) -> tuple[Variable, ...]:
        """Return the variables with what is known at the end."""
        return tuple(
            replace(
                variable,
                is_constant=name not in self.written,
                is_wanted=not outputs or name in outputs,
            )
            for name, variable in self.variables.items()
        )
