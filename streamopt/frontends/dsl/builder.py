"""The builder of programs: iterators, arrays and what is computed, one call each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.frontends.dsl.checks import (
    element_type,
    free_name,
    name_problems,
    read_extents,
    read_iterator,
    read_values,
    title_problems,
    unknown_element,
)
from streamopt.frontends.dsl.facts import (
    ARRAYS,
    NAMES,
    OUTPUTS,
    WRITES,
    Axis,
    Facts,
    Pending,
    caller,
    problem,
)
from streamopt.frontends.dsl.nests import Assignment, loops_of, nests_of, range_problems
from streamopt.frontends.dsl.values import LoopIndex, Reduced, Tensor, Value, as_value, subscript_of
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Literal, Read
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Nest, Program, Role

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from streamopt.frontends.dsl.values import Operand

_SUFFIXES: Mapping[Reduction, str] = {
    Reduction.ADD: "sum",
    Reduction.MUL: "product",
    Reduction.MAX: "max",
    Reduction.MIN: "min",
}


def program(name: str) -> Builder:
    """Return an empty program to add to."""
    return Builder(name)


class Builder:
    """A program while it is written.

    Problems are collected, with the user's file and line; `build` raises them all.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._tensors: dict[str, Tensor] = {}
        self._values: dict[str, NDArray[Any]] = {}
        self._nests: list[Nest] = []
        self._iterators: dict[str, SourceLoc] = {}
        self._results: dict[Pending, str] = {}
        self._problems: dict[Diagnostic, None] = dict.fromkeys(title_problems(name))

    def iterators(self, **extents: int | range) -> tuple[LoopIndex, ...]:
        """Return iterators by name: the keywords are names of the user's choice.

        Parameters
        ----------
        extents
            ``i=64`` for 0 to 63, or a range, ``i=range(1, 63)``.
        """
        for name in extents:
            self._collect(name_problems(name, "iterator"))
            self._iterators.setdefault(name, caller())
        found = tuple(read_iterator(name, extent) for name, extent in extents.items())
        self._collect(problem for iterator in found for problem in iterator.facts.problems)
        return found

    def input(self, name: str, *extents: int, element: ElementType | str = "float") -> Tensor:
        """Declare an array that the caller gives; without extents it is a scalar."""
        return self._declared(name, extents, Role.INPUT, element)

    def weight(
        self,
        name: str,
        *extents: int,
        values: ArrayLike | None = None,
        element: ElementType | str | None = None,
    ) -> Tensor:
        """Declare constant data.

        Parameters
        ----------
        extents
            May be left out if there are values.
        values
            Copied; the caller gives them later if they are left out.
        element
            That of the values if left out; for lists float, or int32_t if all are integers.
        """
        if values is None:
            return self._declared(name, extents, Role.WEIGHT, element or "float")
        array, wanted, message = read_values(values, element)
        if not message and extents and extents != array.shape:
            message = f"the values have shape {array.shape}, not {extents}"
        if message:
            self._report(ARRAYS, f"weight '{name}': {message}")
            return self._unknown(name, Role.WEIGHT)
        tensor = self._declared(name, array.shape, Role.WEIGHT, wanted)
        if self._tensors.get(name) is tensor:
            self._values[name] = array
        return tensor

    def compute(
        self,
        name: str,
        indices: LoopIndex | Sequence[LoopIndex | int],
        value: Operand,
        *,
        element: ElementType | str | None = None,
        shape: Sequence[int] | None = None,
        order: Iterable[LoopIndex | str] | None = None,
        node: str | None = None,
        role: Role = Role.INTERNAL,
    ) -> Tensor:
        """Add a nest that computes an array of its own, and return the array.

        Parameters
        ----------
        indices
            Subscripts of the element that one iteration writes: ``(i, j)`` for all elements.
        value
            What is written; a reduction (`dsl.sum`) makes the nest one.
        element
            The type of the elements; that of the value if left out.
        shape
            If left out, the least that holds what is written.
        order
            Iterators from the outermost loop in; if left out, those of the indices, then those of
            the reduction.
        node
            The name of the nest; the array's if left out.
        """
        listed = indices if isinstance(indices, list | tuple) else (indices,)
        subscripts, result = [subscript_of(index, name) for index in listed], as_value(value)
        facts = Facts.joined(*(index.facts for index in subscripts))
        if self._collect((*facts.problems, *result.facts.problems)):
            return self._unknown(name, role)
        reached = [index.affine.bounds(facts.trip_counts)[1] + 1 for index in subscripts]
        wanted = element or result.element or ElementType.FLOAT
        tensor = self._declared(name, reached if shape is None else shape, role, wanted)
        if self._tensors.get(name) is tensor:
            target = Access(name, tuple(index.affine for index in subscripts))
            self._add(node or name, target, _loops(subscripts), result, order)
        return tensor

    def output(
        self,
        name: str,
        indices: LoopIndex | Sequence[LoopIndex | int],
        value: Operand,
        *,
        element: ElementType | str | None = None,
        shape: Sequence[int] | None = None,
        order: Iterable[LoopIndex | str] | None = None,
        node: str | None = None,
    ) -> Tensor:
        """Add a nest that computes an array which is handed back; parameters as `compute`."""
        return self.compute(
            name,
            indices,
            value,
            element=element,
            shape=shape,
            order=order,
            node=node,
            role=Role.OUTPUT,
        )

    def assign(
        self,
        target: Value,
        value: Operand,
        *,
        order: Iterable[LoopIndex | str] | None = None,
        node: str | None = None,
    ) -> None:
        """Add a nest that overwrites elements: ``p.assign(P[i + 1], x[i])``.

        Parameters
        ----------
        target
            Element of an array that an earlier call computes.
        """
        place = as_value(target)
        if self._collect(place.facts.problems):
            return
        match place.expression:
            case Read(access) if access.array in self._tensors:
                array = self._tensors[access.array].array
            case Literal() if target is place:
                return  # of an array that has a problem already
            case _:
                self._report(WRITES, "only an element of an array can be assigned to")
                return
        if array.is_given:
            message = f"{array.name} is assigned to, but has role {array.role}"
            self._report(WRITES, message, "compute another array")
            return
        name = node or free_name(array.name, [nest.name for nest in self._nests])
        indices = [LoopIndex.of(affine, place.facts) for affine in access.subscripts]
        self._add(name, access, _loops(indices), as_value(value), order)

    def build(self) -> Program:
        """Return the program.

        Raises
        ------
        FrontendError
            With all problems of all calls, codes E181 to E189.
        """
        problems = list(self._problems)
        arrays = tuple(tensor.array for tensor in self._tensors.values())
        for name, loc in self._iterators.items():
            if name in self._tensors:
                message = f"iterator '{name}' has the name of an array"
                problems.append(problem(NAMES, message, "", loc))
        if not problems and not any(array.role is Role.OUTPUT for array in arrays):
            message = f"program {self._name} has no output"
            problems.append(problem(OUTPUTS, message, "write output(...) for what is handed back"))
        if problems:
            raise FrontendError(*problems)
        return Program(self._name, arrays, tuple(self._nests), dict(self._values))

    def __str__(self) -> str:
        """Return the arrays and the loops as text."""
        lines = [f"program {self._name}"]
        lines += [f"{t.array.role} {t!r}" for t in self._tensors.values()]
        for nest in self._nests:
            heads = [f"for {loop.name} in range({loop.trip_count}):" for loop in nest.loops]
            lines.append(f"{nest.name}: {' '.join(heads)}".rstrip())
            lines += [f"    {text}" for s in nest.statements for text in s.texts]
        lines += [f"problem: {found}" for found in self._problems]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<program {self._name}: {len(self._tensors)} arrays, {len(self._nests)} nests>"

    def _report(self, code: str, message: str, hint: str = "") -> None:
        self._problems[problem(code, message, hint)] = None

    def _collect(self, problems: Iterable[Diagnostic]) -> bool:
        """Keep problems; return whether there are any."""
        found = dict.fromkeys(problems)
        self._problems |= found
        return bool(found)

    def _declared(
        self, name: str, extents: Sequence[object], role: Role, element: ElementType | str
    ) -> Tensor:
        wanted = element_type(element)
        if wanted is None:
            self._report(ARRAYS, *unknown_element(element))
            return self._unknown(name, role)
        shape, broken = read_extents(name, extents)
        if self._collect([] if broken is None else [broken]):
            return self._unknown(name, role)
        tensor = Tensor(Array(name, shape, role, wanted))
        if self._collect(name_problems(name, "array")):
            return tensor
        if name in self._tensors:
            hint = "give it a name of its own, or overwrite elements by assign(...)"
            self._report(NAMES, f"there is an array '{name}' already", hint)
        self._tensors.setdefault(name, tensor)
        return tensor

    def _unknown(self, name: str, role: Role) -> Tensor:
        """Declare an array of which something is wrong, so that its uses are not."""
        tensor = Tensor(Array(name, (), role), is_known=False)
        self._tensors.setdefault(name, tensor)
        return tensor

    def _add(
        self,
        node: str,
        target: Access,
        parallel: tuple[Axis, ...],
        value: Value,
        order: Iterable[LoopIndex | str] | None,
    ) -> None:
        """Add the nests of an assignment, unless it has problems."""
        problems = [*value.facts.problems, *name_problems(node, "node")]
        if any(node == nest.name for nest in self._nests):
            hint = "name it by node=..."
            problems.append(problem(NAMES, f"there is a node '{node}' already", hint))
        if self._collect(problems):
            return
        if isinstance(value, Reduced):
            (pending,) = value.facts.pending
            assignment = Assignment.of_reduction(node, target, parallel, pending)
        else:
            loc = caller()
            assignment = Assignment(node, target, value.expression, value.facts, parallel, (), loc)
        self._place(assignment, order)

    def _place(self, assignment: Assignment, order: Iterable[LoopIndex | str] | None) -> None:
        axes, problems = loops_of(assignment, None if order is None else _names(order))
        shapes = {t.name: t.shape for t in self._tensors.values() if t.is_known}
        if not problems:
            problems += range_problems(assignment, shapes)
        problems += self._foreign(assignment)
        if self._collect(problems):
            return
        renamed = {
            pending.token: self._result(pending, assignment.target.array)
            for pending in assignment.facts.pending
        }
        border = f"{assignment.node.rstrip('_')}_border"
        border = free_name(border, [nest.name for nest in self._nests])
        self._nests += nests_of(assignment.renamed(renamed), axes, shapes, border)

    def _foreign(self, assignment: Assignment) -> Iterator[Diagnostic]:
        """Yield the arrays that another program has declared."""
        tokens = {pending.token for pending in assignment.facts.pending}
        for access, loc in assignment.facts.places:
            ours = self._tensors.get(access.array)
            if access.array not in tokens and (
                ours is None or len(ours.shape) != len(access.subscripts)
            ):
                message = f"{access.array} is no array of program {self._name}"
                yield problem(ARRAYS, message, "declare it here too", loc)

    def _result(self, pending: Pending, user: str) -> str:
        """Return the array of a reduction inside an expression; its nest is added at first."""
        if pending not in self._results:
            wanted = f"{user.rstrip('_')}_{_SUFFIXES[pending.reduction]}"
            name = free_name(wanted, {*self._tensors, *(nest.name for nest in self._nests)})
            self._results[pending] = name
            shape = tuple(axis.trip_count for axis in pending.free)
            self._tensors[name] = Tensor(Array(name, shape, Role.INTERNAL, pending.element))
            target = Access(name, pending.subscripts)
            self._place(Assignment.of_reduction(name, target, pending.free, pending), None)
        return self._results[pending]


def _loops(indices: Sequence[LoopIndex]) -> tuple[Axis, ...]:
    """Return the loops of subscripts, in order of first appearance."""
    names = dict.fromkeys(name for index in indices for name in index.affine.iterators())
    axes = dict.fromkeys(axis for index in indices for axis in index.facts.axes)
    return tuple(axis for name in names for axis in axes if axis.name == name)


def _names(order: Iterable[LoopIndex | str]) -> list[str]:
    named = (o.affine.iterators() if isinstance(o, LoopIndex) else (str(o),) for o in order)
    return [name for names in named for name in names]
