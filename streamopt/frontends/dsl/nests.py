"""From an assignment of the DSL to loop nests, each with one statement.

Before::

    Y[i, j] = exp(X[i, j]) / sum(k, exp(X[i, k]))

After::

    for i, k: Y_sum[i] += exp(X[i, k])
    for i, j: Y[i, j] = exp(X[i, j]) / Y_sum[i]

A choice of which one branch reads outside an array at iterations that don't take it becomes two
nests, if those that take it are a box: one writes everything, the other then overwrites the box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.frontends.dsl.facts import ITERATORS, RANGE, Axis, Facts, Pending, problem
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.domain import Domain
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Loop, Nest, Statement


@dataclass(frozen=True, slots=True)
class Assignment:
    """The work of one nest, before its loops are put in order."""

    node: str
    target: ir.Access
    value: ir.Expression
    facts: Facts
    """Of everything that is read."""
    parallel: tuple[Axis, ...]
    """Loops of the target, in the order given."""
    reduced: tuple[Axis, ...]
    """Loops of the reduction."""
    loc: SourceLoc
    reduction: Reduction | None = None
    start: ir.Expression | None = None
    guard: ir.Condition | None = None

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Return all loops, outermost first."""
        return (*self.parallel, *(axis for axis in self.reduced if axis not in self.parallel))

    @staticmethod
    def of_reduction(
        node: str, target: ir.Access, parallel: tuple[Axis, ...], pending: Pending
    ) -> Assignment:
        """Return the assignment of a reduction's result."""
        one, begin, guard = pending, pending.start, pending.guard
        work = one.value, one.facts, parallel, one.axes, one.loc, one.reduction, begin, guard
        return Assignment(node, target, *work)

    def renamed(self, names: Mapping[str, str]) -> Assignment:
        """Return the assignment with arrays renamed where it reads them."""
        leaf = ir.moved_leaf(lambda a: ir.Access(names.get(a.array, a.array), a.subscripts))
        return self.rewritten(leaf)

    def rewritten(self, leaf: Callable[[ir.Expression], ir.Expression]) -> Assignment:
        """Return the assignment with what it reads rewritten as `ir.rewrite` does."""
        start, guard = self.start, self.guard
        return replace(
            self,
            value=ir.rewrite(self.value, leaf),
            start=None if start is None else ir.rewrite(start, leaf),
            guard=None if guard is None else ir.rewrite_condition(guard, leaf),
        )


def loop_problems(assignment: Assignment) -> Iterator[Diagnostic]:
    """Yield the problems of an assignment's iterators."""
    axes, target = assignment.axes, assignment.target.array
    for name in dict.fromkeys(axis.name for axis in (*axes, *assignment.facts.axes)):
        counts = {a.trip_count for a in (*axes, *assignment.facts.axes) if a.name == name}
        if len(counts) > 1:
            message = f"iterators '{name}' of {' and '.join(map(str, sorted(counts)))} iterations "
            hint = "give one of them another name"
            yield problem(ITERATORS, f"{message}meet in {target}", hint, assignment.loc)
    known = {axis.name for axis in axes}
    for name in dict.fromkeys(axis.name for axis in assignment.facts.axes):
        if name not in known:
            message = f"iterator '{name}' is not bound: it is no subscript of {target}"
            hint = f"reduce over it, sum({name}, ...), or give {target} a subscript with it"
            yield problem(ITERATORS, message, hint, assignment.loc)
    for axis in assignment.reduced:
        if axis in assignment.parallel:
            message = f"iterator '{axis.name}' is reduced, and a subscript of {target} too"
            hint = "use another iterator in the reduction"
            yield problem(ITERATORS, message, hint, assignment.loc)


def loops_of(
    assignment: Assignment, order: Sequence[str] | None
) -> tuple[tuple[Axis, ...], list[Diagnostic]]:
    """Return the loops in the order that is wanted, and what is wrong with them."""
    problems, axes = list(loop_problems(assignment)), assignment.axes
    if order is None or problems:
        return axes, problems
    by_name = {axis.name: axis for axis in axes}
    if sorted(order) != sorted(by_name):
        message = f"order={tuple(order)} doesn't name each iterator of {assignment.target.array} "
        message += f"once: {', '.join(by_name)}"
        return axes, [problem(ITERATORS, message, "", assignment.loc)]
    return tuple(by_name[name] for name in order), []


def range_problems(
    assignment: Assignment, shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[Diagnostic]:
    """Yield the elements that don't exist, among those that are written or read.

    Parameters
    ----------
    shapes
        Of all arrays; others aren't checked.
    """
    places = dict(assignment.facts.places)
    domain = Domain.of({axis.name: axis.trip_count for axis in assignment.axes})
    found = list(_outside(assignment.target, domain, shapes))
    if assignment.start is not None:
        found += _reads_outside(assignment.start, domain, shapes)
    if assignment.guard is not None:
        domain = domain.under(assignment.guard)
    if not domain.is_empty:
        found += _reads_outside(assignment.value, domain, shapes)
    for access, message in dict(found).items():
        loc = places.get(access, assignment.loc)
        hint = "change the iterators, the subscript or the shape"
        yield problem(RANGE, message, f"{hint}; where(...) makes borders", loc)


def _reads_outside(
    expression: ir.Expression, domain: Domain, shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[ir.Access, str]]:
    match expression:
        case ir.Read(access):
            yield from _outside(access, domain, shapes)
        case ir.Select(condition, then, otherwise):
            yield from _reads_outside(condition, domain, shapes)
            for branch, holds in ((then, True), (otherwise, False)):
                taken = domain.under(condition, holds=holds)
                if not taken.is_empty:
                    yield from _reads_outside(branch, taken, shapes)
        case _:
            for child in ir.children(expression):
                yield from _reads_outside(child, domain, shapes)


def _outside(
    access: ir.Access, domain: Domain, shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[ir.Access, str]]:
    for dimension, (subscript, extent) in enumerate(
        zip(access.subscripts, shapes.get(access.array, ()), strict=False)
    ):
        low, high = domain.reach(subscript, extent)
        if low < 0 or high >= extent:
            message = f"{access} reaches [{low}, {high}] in dimension {dimension} of "
            yield access, f"{message}{access.array}, whose extent is {extent}"


def nests_of(
    assignment: Assignment,
    axes: tuple[Axis, ...],
    shapes: Mapping[str, tuple[int, ...]],
    border: str,
) -> Iterator[Nest]:
    """Yield the nests of an assignment that has no problems.

    Parameters
    ----------
    border
        The name of the nest that writes what the other doesn't, if it takes two.
    """
    whole = Domain.of({axis.name: axis.trip_count for axis in axes})
    value = assignment.value
    if isinstance(value, ir.Select) and assignment.reduction is None:
        then, otherwise = value.then, value.otherwise
        for inner, outer, holds in ((then, otherwise, True), (otherwise, then, False)):
            box = whole.under(value.condition, holds=holds)
            needs_box = next(_reads_outside(inner, whole, shapes), None) is not None
            fits = next(_reads_outside(outer, whole, shapes), None) is None
            if box.is_box and not box.is_empty and needs_box and fits:
                yield _nest(replace(assignment, node=border, value=outer), whole, axes)
                yield _nest(replace(assignment, value=inner), box, axes)
                return
    yield _nest(assignment, whole, axes)


def _nest(assignment: Assignment, box: Domain, axes: tuple[Axis, ...]) -> Nest:
    names = tuple(axis.name for axis in axes)
    ranges = [(name, *box.ranges[name]) for name in names]
    loops = tuple(Loop(name, last - first + 1) for name, first, last in ranges)
    shifts = {name: Affine.iterator(name) + Affine.of(n) for name, n, _ in ranges if n}

    def placed(access: ir.Access) -> ir.Access:
        subscripts = (s.substitute(shifts).ordered(names) for s in access.subscripts)
        return ir.Access(access.array, tuple(subscripts))

    leaf = ir.moved_leaf(placed, lambda index: index.substitute(shifts).ordered(names))
    moved, target = assignment.rewritten(leaf), placed(assignment.target)
    operands = moved.value, moved.reduction, moved.start, moved.guard
    return Nest(moved.node, loops, (Statement(target, *operands, moved.loc),), moved.loc)
