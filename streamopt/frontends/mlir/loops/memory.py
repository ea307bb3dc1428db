"""Memrefs as views of variables: which element of which variable an index means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from streamopt.frontends.mlir.scalars import UNKNOWN, static_integers
from streamopt.frontends.mlir.text.syntax import DYNAMIC, AffineMap, MlirOperation
from streamopt.frontends.tensors.tensor import LoweringError
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.divisions import flat_index, unflattened
from streamopt.ir.expression import Access

Place: TypeAlias = Callable[[tuple[Affine, ...], Mapping[str, int]], tuple[Affine, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A memref."""

    variable: str
    shape: tuple[int, ...]
    """Extents of the view, `DYNAMIC` where unknown."""
    place: Place
    """The variable's subscripts for the view's; takes one more than the highest value of each
    iterator, too."""

    @staticmethod
    def of(variable: str, shape: tuple[int, ...]) -> View:
        """Return the whole variable."""
        return View(variable, shape, lambda indices, ends: indices)

    def access(self, indices: Sequence[Affine], ends: Mapping[str, int]) -> Access:
        """Return the element at the given indices."""
        return Access(self.variable, self.place(tuple(indices), ends))

    def then(self, shape: tuple[int, ...], place: Place) -> View:
        """Return a view of this view."""
        return View(
            self.variable, shape, lambda indices, ends: self.place(place(indices, ends), ends)
        )


def _transpose(op: MlirOperation, view: View, offsets: Sequence[Affine]) -> View:
    mapped = op.attributes.get("permutation")
    if not isinstance(mapped, AffineMap):
        raise LoweringError("memref.transpose without permutation")
    order = [int(name[1:]) for result in mapped.results if result for name in result.iterators()]
    inverse = [order.index(axis) for axis in range(len(order))]
    return view.then(
        tuple(view.shape[axis] for axis in order),
        lambda indices, ends: tuple(indices[position] for position in inverse),
    )


def _subview(op: MlirOperation, view: View, offsets: Sequence[Affine]) -> View:
    """Return a part; offsets may be indices, sizes and strides are constant."""
    sizes, strides = static_integers(op, "static_sizes", "static_strides")
    given = iter(offsets)
    starts = [
        next(given, Affine()) if number == UNKNOWN else Affine.of(number)
        for number in op.integers("static_offsets")
    ]
    shape = op.results[0].type.shape
    kept = _kept(sizes, shape)

    def place(indices: tuple[Affine, ...], ends: Mapping[str, int]) -> tuple[Affine, ...]:
        found = dict(zip(kept, indices, strict=True))
        return tuple(
            start + found.get(axis, Affine()).scaled(stride)
            for axis, (start, stride) in enumerate(zip(starts, strides, strict=True))
        )

    return view.then(shape, place)


def _kept(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Return the dimensions that stay where some of extent 1 go."""
    spare = len(sizes) - len(shape)
    kept: list[int] = []
    for axis, size in enumerate(sizes):
        place = len(kept)
        if spare and size == 1 and (place >= len(shape) or shape[place] != 1):
            spare -= 1
        else:
            kept.append(axis)
    return kept[: len(shape)] if spare == 0 else kept[len(kept) - len(shape) :]


def _reshape(op: MlirOperation, view: View, offsets: Sequence[Affine]) -> View:
    """Return a view with dimensions split or merged, in row-major order."""
    old, new = view.shape, op.results[0].type.shape
    if DYNAMIC in (*old[1:], *new[1:]):
        raise LoweringError("the extent of a reshaped memref is not known")
    return view.then(new, lambda indices, ends: _unflattened(flat_index(indices, new), old, ends))


def _unflattened(flat: Affine, shape: Sequence[int], ends: Mapping[str, int]) -> tuple[Affine, ...]:
    missing = [name for name in flat.iterators() if name not in ends]
    if missing and len(shape) > 1:
        raise LoweringError(f"{missing[0]} has no known range")
    return unflattened(flat, shape, ends)


def _reinterpret(op: MlirOperation, view: View, offsets: Sequence[Affine]) -> View:
    starts, sizes, strides = static_integers(op, "static_offsets", "static_sizes", "static_strides")
    if DYNAMIC in view.shape[1:]:
        raise LoweringError("the extent of a reinterpreted memref is not known")

    def place(indices: tuple[Affine, ...], ends: Mapping[str, int]) -> tuple[Affine, ...]:
        flat = Affine.of(starts[0] if starts else 0)
        for index, stride in zip(indices, strides, strict=True):
            flat = flat + index.scaled(stride)
        return _unflattened(flat, view.shape, ends)

    return view.then(sizes, place)


VIEWS: Mapping[str, Callable[[MlirOperation, View, Sequence[Affine]], View]] = {
    "memref.cast": lambda op, view, offsets: view,
    "memref.collapse_shape": _reshape,
    "memref.expand_shape": _reshape,
    "memref.memory_space_cast": lambda op, view, offsets: view,
    "memref.reinterpret_cast": _reinterpret,
    "memref.subview": _subview,
    "memref.transpose": _transpose,
}
