"""From tensors to a program: arrays, each with the one nest that writes it."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from typing import Any

from numpy.typing import NDArray

from streamopt.errors import SourceLoc
from streamopt.frontends.tensors.indexing import ElementPoint, point_over
from streamopt.frontends.tensors.tensor import (
    LazyTensor,
    LoweringError,
    UniqueNames,
    iterator_names,
    splat,
)
from streamopt.frontends.tensors.widening import before_widening, widened
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.composing import as_number
from streamopt.ir.algebra.constants import (
    MAX_ELEMENTS,
    element_of,
    least_element,
    least_integers,
)
from streamopt.ir.algebra.evaluation import evaluated
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Cast, Expression, Literal, Read, reads
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Loop, Nest, Program, Role, Statement

MAX_EXTENT = 2**31 - 1
MAX_DIMENSIONS = 32
MAX_ARRAY_ELEMENTS = 2**40
MAX_OPERATIONS = 60
MAX_DEPTH = 30
"""Bounds on what reading one element takes; deeper tensors become arrays."""


class ProgramBuilder:
    """Collects arrays and nests; `build` keeps those that outputs depend on.

    Operators name what they make after the current scope::

        with builder.scope("fc1", loc):
            hidden = matmul(builder, x, weight)

    Attributes
    ----------
    label
        Name of the operator that is being lowered.
    loc
        Its place in the user's input.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.label = "t"
        self.loc: SourceLoc | None = None
        self._arrays: dict[str, Array] = {}
        self._values: dict[str, NDArray[Any]] = {}
        self._nests: list[Nest] = []
        self._outputs: dict[str, str] = {}
        self._array_names = UniqueNames()
        self._nest_names = UniqueNames()
        self._reserved: dict[str, str] = {}

    @contextmanager
    def scope(self, label: str, loc: SourceLoc | None = None) -> Generator[None]:
        """Name arrays and nests after a label, at a place in the input, for a while."""
        before = self.label, self.loc
        self.label, self.loc = label, loc
        try:
            yield
        finally:
            self.label, self.loc = before

    def reserve(self, *names: str) -> None:
        """Keep names for inputs and outputs that come later."""
        for name in names:
            if name not in self._reserved:
                self._reserved[name] = self._array_names.unique(name)

    def given(
        self,
        name: str,
        shape: Sequence[int],
        element: ElementType,
        role: Role,
        values: NDArray[Any] | None = None,
    ) -> LazyTensor:
        """Declare an input, or a weight with or without values.

        Raises
        ------
        LoweringError
            For a shape that an array can't have: an extent below 1, or too large.
        """
        array = self._declared(name, tuple(shape), element, role)
        if values is not None:
            self._values[array.name] = values
        return self._stored(array)

    def constant(
        self, name: str, values: NDArray[Any], element: ElementType | None = None
    ) -> LazyTensor:
        """Return a weight with values, or the number itself; its type is theirs if left out.

        Raises
        ------
        LoweringError
            For a type that no element type has, or an empty array.
        """
        element = element or element_of(values.dtype)
        if element is None:
            raise LoweringError(f"{name} has elements of type {values.dtype}")
        if values.size == 1:
            return splat(float(values.reshape(-1)[0]), element, values.shape)
        if values.dtype.kind == "b":
            values = values.astype("uint8")
        return self.given(name, values.shape, element, Role.WEIGHT, values)

    def store(
        self,
        tensor: LazyTensor,
        name: str = "",
        *,
        iterators: Sequence[str] = (),
        order: Sequence[str] = (),
        fold: bool = True,
    ) -> LazyTensor:
        """Return the tensor as an array of its own: of one nest, or a weight computed here.

        Parameters
        ----------
        name
            Of array and nest; the tensor's own name, or the scope's, if empty.
        iterators
            One for each dimension; the usual ones if empty.
        order
            The iterators from the outermost loop in; that of the dimensions if empty.
        fold
            Whether what depends on weights alone is computed here; else a nest does it.
        """
        wanted = name or tensor.name or self.label
        if not fold:
            return self._materialized(tensor, wanted, Role.INTERNAL, iterators, order)
        value = _over_box(tensor)[0]
        folded = None if isinstance(value, Literal) else self.known(tensor)
        if folded is not None:
            return self._computed_here(wanted, folded)
        narrow = before_widening(tensor, value, lambda name: self._arrays[name].element)
        if narrow is None:
            return self._materialized(tensor, wanted, Role.INTERNAL, iterators, order)
        if isinstance(value, Cast) and isinstance(value.operand, Read):
            return replace(tensor, operations=0)
        stored = self._materialized(narrow, wanted, Role.INTERNAL, iterators, order)
        return widened(stored, tensor.element)

    def known(self, tensor: LazyTensor) -> NDArray[Any] | None:
        """Return the values of a tensor that depends on no input; None for others, or too many."""
        if tensor.size_elems > MAX_ELEMENTS:
            return None
        value, dimensions = _over_box(tensor)
        if not {access.array for access in reads(value)} <= self._values.keys():
            return None
        return evaluated(value, tensor.shape, dimensions, self._values, tensor.element)

    def narrows(self, tensor: LazyTensor) -> bool:
        """Return whether elements are narrower than some that they are computed from."""
        needed = {access.array for access in reads(_over_box(tensor)[0])}
        return any(self._arrays[name].element.bits > tensor.element.bits for name in needed)

    def settled(self, tensor: LazyTensor) -> LazyTensor:
        """Return the tensor such that reading an element twice computes nothing twice."""
        return self.store(tensor) if tensor.operations else self.bounded(tensor)

    def computed(
        self,
        like: LazyTensor,
        value: Callable[[ElementPoint], Expression],
        *sources: LazyTensor,
        operations: int,
        shape: Sequence[int] | None = None,
    ) -> LazyTensor:
        """Return a tensor that computes a value from sources at every read.

        Parameters
        ----------
        like
            A tensor of the same element type; of the same shape if none is given.
        operations
            Operations at one read, without those of the sources.
        """
        return replace(
            like,
            shape=like.shape if shape is None else tuple(shape),
            value=value,
            name=self.label,
            operations=operations + sum(source.operations for source in sources),
            depth=1 + max(source.depth for source in sources),
            array="",
            loc=self.loc,
        )

    def bounded(self, tensor: LazyTensor) -> LazyTensor:
        """Return the tensor, as an array if an element takes many steps to read."""
        small = tensor.operations <= MAX_OPERATIONS and tensor.depth <= MAX_DEPTH
        return tensor if small else self.store(tensor)

    def reduce(
        self,
        outer: Sequence[tuple[str, int]],
        inner: Sequence[tuple[str, int]],
        reduction: Reduction,
        value: Callable[[ElementPoint], Expression],
        *,
        element: ElementType,
        name: str = "",
        start: Callable[[ElementPoint], Expression] | None = None,
        order: Sequence[str] = (),
    ) -> LazyTensor:
        """Return the array of reductions of ``value`` over the inner loops.

        Parameters
        ----------
        outer, inner
            Pairs (iterator, extent). The outer ones are the dimensions of the result.
        value
            The term at a point whose indices are those of ``outer``, then those of ``inner``.
        start
            Start of the reduction at a point of the outer loops; None for the identity.
        order
            All iterators from the outermost loop in; outer, then inner if empty.
        """
        names = iterator_names([n for n, _ in (*outer, *inner)], len(outer) + len(inner))
        extents = [extent for _, extent in (*outer, *inner)]
        shape = tuple(extents[: len(outer)])
        array = self._declared(name or self.label, shape, element, Role.INTERNAL)
        point = _point(names, extents, order)
        place = point.pick(*range(len(outer)))
        is_single = start is None and all(extent == 1 for _, extent in inner)
        statement = Statement(
            self._element(array, place),
            as_number(value(point)),
            None if is_single else reduction,
            None if start is None else start(place),
            loc=self.loc,
        )
        self._emit(name or self.label, point, statement)
        return replace(self._stored(array), axes=names[: len(outer)])

    def bordered(
        self, tensor: LazyTensor, low: Sequence[int], high: Sequence[int], value: float, name: str
    ) -> LazyTensor:
        """Return the tensor with a border of one number, as an array that two nests write.

        The first one fills the array, the second one overwrites the inside.

        Parameters
        ----------
        low, high
            Elements to add in front of and behind each dimension, not negative.
        """
        shape = [a + n + b for a, n, b in zip(low, tensor.shape, high, strict=True)]
        filled = self._materialized(
            splat(value, tensor.element, shape), f"{name}_fill", Role.INTERNAL, tensor.axes, ()
        )
        point = _point(iterator_names(tensor.axes, tensor.rank), tensor.shape, ())
        inside = point.to(i + Affine.of(by) for i, by in zip(point.indices, low, strict=True))
        target = self._element(self._arrays[filled.array], inside)
        self._emit(f"{name}_copy", point, Statement(target, tensor.at(point), loc=self.loc))
        return filled

    def output(self, tensor: LazyTensor, name: str) -> LazyTensor:
        """Hand a tensor back to the caller under a name, as an array of its own."""
        array = self._arrays.get(tensor.array)
        if array is not None and array.role is Role.INTERNAL:
            self._arrays[array.name] = replace(array, role=Role.OUTPUT)
            self._outputs[array.name] = self._reserved.pop(name, "") or self._array_names.unique(
                name
            )
            return tensor
        return self._materialized(tensor, name, Role.OUTPUT, (), ())

    def build(self) -> Program:
        """Return the program: inputs, what outputs depend on, and the nests that compute it."""
        needed = {array.name for array in self._arrays.values() if array.role is Role.OUTPUT}
        kept: list[Nest] = []
        for nest in reversed(self._nests):
            statement = nest.statements[0]
            if statement.target.array in needed:
                needed |= {access.array for e in statement.expressions for access in reads(e)}
                kept.append(nest)
        arrays = [a for a in self._arrays.values() if a.name in needed or a.role is Role.INPUT]
        final = {a.name: self._outputs.get(a.name, a.name) for a in arrays}
        taken = set(final.values())
        return Program(
            self.name,
            tuple(replace(array, name=final[array.name]) for array in arrays),
            tuple(nest.renamed(final, _free_iterators(nest, taken)) for nest in kept[::-1]),
            {name: values for name, values in self._values.items() if name in needed},
        )

    def _materialized(
        self,
        tensor: LazyTensor,
        name: str,
        role: Role,
        iterators: Sequence[str],
        order: Sequence[str],
    ) -> LazyTensor:
        names = iterator_names(iterators or tensor.axes, tensor.rank)
        array = self._declared(name, tensor.shape, tensor.element, role)
        point = _point(names, tensor.shape, order)
        loc = tensor.loc or self.loc
        statement = Statement(self._element(array, point), as_number(tensor.at(point)), loc=loc)
        self._emit(name if role is Role.INTERNAL else tensor.name or name, point, statement)
        return replace(self._stored(array), axes=names, loc=loc)

    def _emit(self, name: str, point: ElementPoint, statement: Statement) -> None:
        loops = tuple(Loop(iterator, count) for iterator, count in point.trip_counts.items())
        self._nests.append(Nest(self._nest_names.unique(name), loops, (statement,), statement.loc))

    def _declared(
        self, name: str, shape: tuple[int, ...], element: ElementType, role: Role
    ) -> Array:
        _check_shape(name, shape)
        legal = self._reserved.pop(name, "") if role in (Role.INPUT, Role.OUTPUT) else ""
        array = Array(legal or self._array_names.unique(name), shape, role, element)
        self._arrays[array.name] = array
        return array

    def _stored(self, array: Array) -> LazyTensor:
        return LazyTensor(
            array.shape,
            array.element,
            lambda point: Read(self._element(array, point)),
            name=array.name,
            array=array.name,
            loc=self.loc,
        )

    def _element(self, array: Array, point: ElementPoint) -> Access:
        return Access(array.name, tuple(i.ordered(point.trip_counts) for i in point.indices))

    def _computed_here(self, name: str, values: NDArray[Any]) -> LazyTensor:
        """Return a weight of values that were computed here, which are stored as narrow as may be.

        Its type is theirs: reads convert to it. What `int8` weights are converted to for a
        computation so takes no more memory than they do, and half of it where all values are those
        of 4 bits.
        """
        kept, element = least_integers(values), element_of(values.dtype)
        if kept.dtype == values.dtype or values.size == 1 or element is None:
            return self.constant(name, values)
        return widened(self.constant(name, kept, least_element(kept)), element)


def _over_box(tensor: LazyTensor) -> tuple[Expression, dict[str, int]]:
    """Return an element as an expression, and the dimension that each of its iterators walks."""
    names = iterator_names((), tensor.rank)
    long = {name: n for name, n in zip(names, tensor.shape, strict=True) if n > 1}
    value = as_number(tensor.at(point_over(names, long)))
    return value, {name: position for position, name in enumerate(names)}


def _point(names: Sequence[str], shape: Sequence[int], order: Sequence[str]) -> ElementPoint:
    """Return the point of a nest: loops of one iteration go, unless there would be none."""
    extents = dict(zip(names, shape, strict=True))
    ordered = list(order) if sorted(order) == sorted(extents) else list(extents)
    kept = [name for name in ordered if extents[name] > 1] or ordered[:1]
    return point_over(names, {name: extents[name] for name in kept})


def _free_iterators(nest: Nest, taken: set[str]) -> dict[str, str]:
    names = UniqueNames()
    for name in (*taken, *nest.trip_counts):
        names.unique(name)
    return {name: names.unique(f"{name}_loop") for name in nest.trip_counts if name in taken}


def _check_shape(name: str, shape: tuple[int, ...]) -> None:
    if any(extent < 1 for extent in shape):
        raise LoweringError(f"{name} has no elements: its shape is {list(shape)}")
    wide = any(extent > MAX_EXTENT for extent in shape) or prod(shape) > MAX_ARRAY_ELEMENTS
    if wide or len(shape) > MAX_DIMENSIONS:
        raise LoweringError(f"{name} is too large: its shape is {list(shape)[:MAX_DIMENSIONS]}")
