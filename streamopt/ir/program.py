"""A program: arrays and an ordered list of perfect loop nests with constant trip counts.

Meaning: nests run one after another in order; a nest runs its statements, in order, for every
point of its iteration domain in row-major order.

In a *streaming* nest every array is written as a whole: it has one statement, which assigns each
element once, or reduces into it. A reduction (``+=`` and its kin) starts from the identity of its
operator or from a given value, so its initialisation is part of it. The array's earlier elements
don't exist.

A *sequential* nest is what can't be said so: statements update arrays in place, each reads what
the ones before it left. The arrays that it writes begin as copies of others where it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

from streamopt.errors import SourceLoc
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Condition,
    Expression,
    moved_leaf,
    reads,
    rewrite,
    rewrite_condition,
)
from streamopt.ir.operators import Reduction
from streamopt.ir.text import assignment_texts, html_table

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Role(StrEnum):
    """Who gives an array its values, and who reads them."""

    INPUT = "input"
    WEIGHT = "weight"
    INTERNAL = "internal"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Array:
    """A named array of constant shape; an empty shape is a scalar."""

    name: str
    shape: tuple[int, ...]
    role: Role
    element: ElementType = ElementType.FLOAT

    @property
    def size_elems(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    @property
    def is_given(self) -> bool:
        """Return whether the caller supplies the values."""
        return self.role in (Role.INPUT, Role.WEIGHT)

    def takes(self, shape: tuple[int, ...]) -> bool:
        """Return whether values of a shape can be given: its own, or all elements in a row."""
        return shape in (self.shape, (self.size_elems,))

    def __str__(self) -> str:
        """Return its declaration: ``input A[64][32]: float``."""
        extents = "".join(f"[{extent}]" for extent in self.shape)
        return f"{self.role} {self.name}{extents}: {self.element}"


@dataclass(frozen=True, slots=True)
class Loop:
    """``for name in range(trip_count)``."""

    name: str
    trip_count: int

    def __str__(self) -> str:
        """Return name and trip count: ``i 64``."""
        return f"{self.name} {self.trip_count}"


@dataclass(frozen=True, slots=True)
class Statement:
    """``target = value``, or ``target = target (reduction) value``."""

    target: Access
    value: Expression
    reduction: Reduction | None = None
    start: Expression | None = None
    """First value of a reduction, read at its first term; None for the operator's identity."""
    guard: Condition | None = None
    """The statement runs where this holds; None for everywhere. Only reductions and the statements
    of sequential nests have one."""
    loc: SourceLoc | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Return guard, start and value, as far as they are set."""
        return tuple(e for e in (self.guard, self.start, self.value) if e is not None)

    @property
    def accesses(self) -> tuple[Access, ...]:
        """Return the target and all reads, with repetitions."""
        return (self.target, *(a for e in self.expressions for a in reads(e)))

    @property
    def texts(self) -> tuple[str, ...]:
        """Return it in the syntax of graph.json: what a reduction starts from, then the rest."""
        parts = self.target, self.value, self.reduction, self.start, self.guard
        return tuple(assignment_texts(*parts))

    def rewritten(self, leaf: Callable[[Expression], Expression], target: Access) -> Statement:
        """Return the statement with another target and every read and index replaced."""
        return replace(
            self,
            target=target,
            value=rewrite(self.value, leaf),
            start=None if self.start is None else rewrite(self.start, leaf),
            guard=None if self.guard is None else rewrite_condition(self.guard, leaf),
        )


@dataclass(frozen=True, slots=True)
class Nest:
    """A perfect loop nest, outermost loop first."""

    name: str
    loops: tuple[Loop, ...]
    statements: tuple[Statement, ...]
    loc: SourceLoc | None = None
    sequential: bool = False
    """Whether iterations run one after another and update arrays in place."""
    carries: tuple[tuple[str, str], ...] = ()
    """Pairs (array, source) of a sequential nest: the array begins as a copy of the source."""
    reason: str = field(default="", compare=False)
    """Why a sequential nest can't stream, for people."""

    @property
    def trip_counts(self) -> dict[str, int]:
        """Return trip count by iterator, outermost first."""
        return {loop.name: loop.trip_count for loop in self.loops}

    def renamed(self, arrays: Mapping[str, str], iterators: Mapping[str, str]) -> Nest:
        """Return the nest with other names of arrays and iterators; others stay."""
        affine = {old: Affine.iterator(new) for old, new in iterators.items()}

        def access(old: Access) -> Access:
            return replace(old.substitute(affine), array=arrays.get(old.array, old.array))

        leaf = moved_leaf(access, lambda index: index.substitute(affine))
        loops = tuple(replace(e, name=iterators.get(e.name, e.name)) for e in self.loops)
        statements = tuple(s.rewritten(leaf, access(s.target)) for s in self.statements)
        return replace(self, loops=loops, statements=statements)

    def __str__(self) -> str:
        """Return one line: name, loops from the outermost in, and statements."""
        texts = [text for statement in self.statements for text in statement.texts]
        return nest_text(self.name, self.loops, texts, self.carries if self.sequential else None)


def nest_text(
    name: str,
    loops: Iterable[object],
    statements: Iterable[str],
    carries: Iterable[tuple[str, str]] | None,
) -> str:
    """Return a loop nest in one line.

    Parameters
    ----------
    carries
        Of a sequential nest; None for a streaming one.
    """
    kind = "" if carries is None else "sequential "
    begins = (f"{array} = {source}" for array, source in carries or ())
    body = "; ".join((*begins, *statements))
    return f"{name}: {kind}{', '.join(map(str, loops))}: {body}".replace(": : ", ": ")


@dataclass(frozen=True, slots=True)
class Program:
    """Arrays by name and nests in execution order."""

    name: str
    arrays: tuple[Array, ...]
    nests: tuple[Nest, ...]
    values: Mapping[str, NDArray[Any]] = field(
        default_factory=dict[str, "NDArray[Any]"], compare=False, repr=False
    )
    """Values of weights that came with the source, by array; each has its array's shape."""
    sample: Mapping[str, NDArray[Any]] = field(
        default_factory=dict[str, "NDArray[Any]"], compare=False, repr=False
    )
    """Inputs, and the outputs that the source itself made of them, by array."""

    _by_name: dict[str, Array] = field(
        default_factory=dict[str, "Array"], init=False, compare=False, repr=False
    )

    def __str__(self) -> str:
        """Return a line for each array and each nest."""
        return "\n".join([f"program {self.name}", *map(str, self.arrays), *map(str, self.nests)])

    def __repr__(self) -> str:
        """Return name and size on one line."""
        return f"<Program {self.name}: {len(self.nests)} loop nests, {len(self.arrays)} arrays>"

    def _repr_html_(self) -> str:
        """Show the arrays in a notebook."""
        title = f"program {self.name}: {len(self.nests)} loop nests"
        rows = (
            (a.name, a.role.value, str(a.element), " x ".join(map(str, a.shape)) or "scalar")
            for a in self.arrays
        )
        return html_table(title, ("array", "role", "type", "shape"), rows)

    def array(self, name: str) -> Array:
        """Return the array of that name; raises KeyError."""
        if not self._by_name:
            self._by_name.update({array.name: array for array in reversed(self.arrays)})
        return self._by_name[name]


def users(nests: Sequence[Nest]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Return the positions of the nests that write each array, and of those that read it."""
    writers: dict[str, list[int]] = {}
    readers: dict[str, list[int]] = {}
    for position, nest in enumerate(nests):
        for statement in nest.statements:
            _append(writers, [statement.target.array], position)
            for expression in statement.expressions:
                _append(readers, [access.array for access in reads(expression)], position)
        _append(readers, [source for _, source in nest.carries], position)
    return writers, readers


def dependences(nests: Sequence[Nest]) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return the arrays that make one nest wait for another.

    Keys are pairs (earlier, later) of positions: (writer, reader) for every writer and reader of
    an array, and (writer, next writer). A nest never waits for itself.
    """
    writers, readers = users(nests)
    found: dict[tuple[int, int], dict[str, None]] = {}
    for array, positions in writers.items():
        own = {*positions}
        others = [reader for reader in readers.get(array, ()) if reader not in own]
        pairs = list(pairwise(positions))
        pairs += [(writer, reader) for writer in positions for reader in others]
        for pair in pairs:
            found.setdefault(pair, {})[array] = None
    return {pair: tuple(arrays) for pair, arrays in found.items()}


def _append(table: dict[str, list[int]], arrays: Iterable[str], position: int) -> None:
    for array in arrays:
        positions = table.setdefault(array, [])
        if not positions or positions[-1] != position:
            positions.append(position)


def topological_order(
    count: int, pairs: Iterable[tuple[int, int]] | Mapping[tuple[int, int], object]
) -> tuple[int, ...]:
    """Return the positions ``0 .. count - 1``, earlier before later, otherwise as they are.

    Positions on a cycle, or after one, are left out.
    """
    waits = [0] * count
    successors: list[list[int]] = [[] for _ in range(count)]
    for earlier, later in pairs:
        waits[later] += 1
        successors[earlier].append(later)
    ready = [position for position, waiting in enumerate(waits) if waiting == 0]
    heapify(ready)
    order: list[int] = []
    while ready:
        position = heappop(ready)
        order.append(position)
        for later in successors[position]:
            waits[later] -= 1
            if waits[later] == 0:
                heappush(ready, later)
    return tuple(order)
