"""The state of reading one function: what is declared, written and emitted so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace

from pycparser import c_ast as ast

from streamopt.errors import SourceLoc
from streamopt.formats.names import NAME_PATTERN, is_reserved
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.symbols import Moving, Scopes, Stored, Symbol
from streamopt.frontends.c.syntax.files import CFile
from streamopt.frontends.c.syntax.types import Declaration
from streamopt.frontends.c.syntax.usage import NameUsage
from streamopt.frontends.c.values.value import CValue
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Expression
from streamopt.ir.source import Assign, Item, Variable

MAX_ITEMS = 3_000
"""Statements of a function, calls inlined: what the analysis of dependences takes in seconds."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A function whose text is read: its names and how it uses them."""

    function: str = ""
    scope: Scopes[Symbol] = field(default_factory=Scopes[Symbol])
    usage: NameUsage = field(default_factory=NameUsage)


@dataclass(slots=True)
class SourceDraft:
    """The variables and statements of a source under construction."""

    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    values: dict[str, tuple[float, ...]] = field(default_factory=dict[str, "tuple[float, ...]"])
    """The elements of constant arrays."""
    written: set[str] = field(default_factory=set[str])
    pointers: set[str] = field(default_factory=set[str])
    """Arguments whose first extent is not known before all of the function is read."""
    first: list[Item] = field(default_factory=list["Item"])
    """Statements that come before all others."""
    blocks: list[list[Item]] = field(default_factory=lambda: [[]])
    """Statement lists under construction, innermost last."""
    compared: dict[str, tuple[int, SourceLoc]] = field(
        default_factory=dict[str, "tuple[int, SourceLoc]"]
    )
    """By array whose places depend on data: how many positions are compared, and where."""
    _items: int = 0
    _taken: set[str] = field(default_factory=set[str])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])

    def unique(self, name: str) -> str:
        """Return a name that no other variable or iterator has, as like the given one as can be."""
        base = re.sub(r"_{2,}", "_", name[:90])
        base = base if re.match(NAME_PATTERN, base) else f"v{base}"
        base = f"{base.rstrip('_')}_" if is_reserved(base) else base
        found, number = base, self._numbers.get(base, 1)
        while found in self._taken:
            number += 1
            found = f"{base.rstrip('_')}_{number}"
        self._numbers[base] = number
        self._taken.add(found)
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
        """Add a variable and return what stands for it."""
        unique = self.unique(name)
        self.variables[unique] = Variable(unique, shape, element, is_argument, loc=loc)
        return Stored(unique, shape, element)

    def add_declared(
        self, item: Declaration, shape: tuple[int, ...], *, is_argument: bool = False
    ) -> Stored:
        """Add the variable of a declaration of numbers, and return what stands for it."""
        kind = item.type
        assert kind.element is not None
        stored = self.add_variable(
            item.name, shape, kind.element, item.loc, is_argument=is_argument
        )
        return replace(stored, kept=kind.kept, is_wide=kind.is_wide)

    def known_element(self, access: Access) -> float | None:
        """Return the value of an element of a constant array, where it is one element."""
        values = self.values.get(access.array)
        if values is None or any(subscript.terms for subscript in access.subscripts):
            return None
        position = 0
        shape = self.variables[access.array].shape
        for subscript, extent in zip(access.subscripts, shape, strict=True):
            position = position * extent + subscript.constant
        return values[position]

    def emit(self, item: Item) -> None:
        """Append an item to the innermost statement list."""
        self._items += 1
        if self._items > MAX_ITEMS:
            message = f"the function has more than {MAX_ITEMS} statements once calls are inlined"
            raise LimitError(message, item.loc, "use loops and fewer calls")
        self.blocks[-1].append(item)

    def store(self, target: Access, value: Expression, loc: SourceLoc, label: str = "") -> None:
        """Emit the assignment of a value to an element."""
        self.written.add(target.array)
        self.emit(Assign(target, value, label, loc))

    def keep(self, name: str, value: Expression, element: ElementType, loc: SourceLoc) -> Access:
        """Add a variable that gets a value here, and return the access to it."""
        target = Access(self.add_variable(name, (), element, loc).variable, ())
        self.store(target, value, loc)
        return target

    @contextmanager
    def collected(self, items: list[Item]) -> Generator[None]:
        """Emit inside into a list of its own."""
        self.blocks.append(items)
        try:
            yield
        finally:
            self.blocks.pop()

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


@dataclass(slots=True)
class RunningLoops:
    """Loops that were opened so far."""

    # ranges, order: interval and position of each iterator
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict[str, "tuple[int, int]"])
    order: dict[str, int] = field(default_factory=dict[str, int])
    bounds: Mapping[str, int] = field(default_factory=dict[str, int])
    """By label or variable of a loop: how often it runs at most."""
    assigned: list[set[str]] = field(default_factory=list[set[str]])
    """For each loop that is open, outermost first: the variables that it may assign."""
    may_compare: bool = True
    """Whether places that integers of loops decide may be compared one by one, as with data."""
    written_out: int = 0
    """How many turns of loops were written out."""

    def open(self, iterator: str, low: int, high: int) -> None:
        """Note the interval of an iterator inside of all that run."""
        self.order[iterator] = len(self.order)
        self.ranges[iterator] = low, high

    def ordered(self, value: Affine) -> Affine:
        """Return the sum with iterators from the outermost loop in, so that equal ones compare."""
        if len(value.terms) < 2:
            return value
        names = sorted(value.iterators(), key=lambda name: self.order.get(name, 0))
        return value.ordered(names)


@dataclass(slots=True)
class HeldIntegers:
    """The values of local integers at a place of the text, and all that ever had a known one."""

    now: dict[str, CValue] = field(default_factory=dict[str, "CValue"])
    followed: set[str] = field(default_factory=set[str])
    inside: dict[str, tuple[CValue, ast.Node]] = field(
        default_factory=dict[str, "tuple[CValue, ast.Node]"]
    )
    """The values that they have where a statement changes them that others don't reach."""
    behind: Mapping[ast.Node, Mapping[str, CValue]] = field(
        default_factory=dict[ast.Node, "Mapping[str, CValue]"]
    )
    """By statement: values that names have behind it, in a loop that was followed."""
    parts: list[Stored] = field(default_factory=list[Stored])
    """The parts of variables that pointers point at, by number."""


@dataclass(slots=True)
class ReadingState:
    """The state while a function is read."""

    file: CFile
    problems: Problems
    inline: Callable[[ast.FuncCall, ReadingState], CValue | None]
    """Reads a call of a function of the file inside an expression, and emits its statements."""
    frames: list[Frame] = field(default_factory=lambda: [Frame()])
    """The function that is read and those that are being inlined, outermost first."""
    source: SourceDraft = field(default_factory=SourceDraft)
    loops: RunningLoops = field(default_factory=RunningLoops)
    integers: HeldIntegers = field(default_factory=HeldIntegers)
    statics: dict[Declaration, Symbol] = field(default_factory=dict["Declaration", "Symbol"])
    """The symbol of each static variable that changes: it lasts from call to call."""
    guarded: int = 0
    """How many conditional expressions enclose the one that is read."""
    inlined: int = 0
    """How many calls were inlined."""

    @property
    def scope(self) -> Scopes[Symbol]:
        """Return the names of the function whose text is read."""
        return self.frames[-1].scope

    @property
    def usage(self) -> NameUsage:
        """Return how the function whose text is read uses its names."""
        return self.frames[-1].usage

    def report(self, code: str, message: str, node: ast.Node | SourceLoc, hint: str = "") -> None:
        """Collect a problem with a node or a place."""
        loc = node if isinstance(node, SourceLoc) else self.file.loc(node)
        self.problems.report(code, message, loc, hint)

    def saved(self) -> Callable[[], None]:
        """Return a function that sets all back to what it is now, in the blocks that are open."""
        source, integers, loops = self.source, self.integers, self.loops
        kept = [(block, block[:]) for block in (source.first, *source.blocks)]
        parts = [
            (owner, name, copy(getattr(owner, name)))
            for owner, names in (
                (source, ("variables", "values", "written", "pointers", "compared")),
                (source, ("_items", "_taken", "_numbers")),
                (integers, ("now", "followed", "inside", "behind", "parts")),
                (loops, ("ranges", "order", "assigned")),
                (self, ("statics", "guarded", "inlined")),
            )
            for name in names
        ]

        def restore() -> None:
            for block, items in kept:
                block[:] = items
            for owner, name, value in parts:
                setattr(owner, name, copy(value))

        return restore

    @contextmanager
    def unreported(self) -> Generator[Problems]:
        """Try inside to read a node; its problems are collected apart."""
        problems, self.problems = self.problems, Problems()
        try:
            yield self.problems
        finally:
            self.problems = problems

    def part_at(self, pointer: Moving) -> Stored | None:
        """Return the part that a pointer points at, where it hasn't moved; None if unknown."""
        held = self.integers.now.get(pointer.which.variable)
        number = None if held is None else held.constant
        return self.integers.parts[number] if isinstance(number, int) else None

    def is_static(self, name: str) -> bool:
        """Return whether a variable keeps its value from one inlined call to the next."""
        found = self.statics.values()
        return any(isinstance(one, Stored) and one.variable == name for one in found)

    def is_unset(self, name: str) -> bool:
        """Return whether a local scalar has surely no value yet, at this place of the text."""
        if self.source.variables[name].is_argument or name in self.source.written:
            return False
        return name not in self.source.values and not any(name in n for n in self.loops.assigned)

    @contextmanager
    def block(self) -> Generator[list[Item]]:
        """Collect what is emitted inside into a list of its own, in a scope of its own."""
        items: list[Item] = []
        with self.source.collected(items), self.scope.block():
            yield items

    @contextmanager
    def within(self, frame: Frame) -> Generator[None]:
        """Read another function's text inside."""
        self.frames.append(frame)
        try:
            yield
        finally:
            self.frames.pop()
