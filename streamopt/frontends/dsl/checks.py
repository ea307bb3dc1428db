"""Names, extents, element types and values as the user gives them: what is wrong with each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic
from streamopt.formats.names import NAME_PATTERN, TITLE_PATTERN, did_you_mean, is_reserved, quoted
from streamopt.frontends.dsl.facts import ARRAYS, ITERATORS, NAMES, Axis, Facts, problem
from streamopt.frontends.dsl.values import LoopIndex, whole
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import type_range
from streamopt.ir.element import ElementType, element_problem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_BY_NUMPY_NAME = {
    "float16": ElementType.HALF,
    "float32": ElementType.FLOAT,
    "float64": ElementType.DOUBLE,
}
MAX_EXTENT = 2**31 - 1
MAX_DIMENSIONS = 32
MAX_CHARACTERS = 100


def title_problems(name: object) -> Iterator[Diagnostic]:
    """Yield the problem of a program's name, if it has one."""
    if not isinstance(name, str) or not _matches(TITLE_PATTERN, name):
        message = f"{quoted(name)} can't be the name of a program"
        yield problem(NAMES, message, "it is made of letters, digits, - and _")


def name_problems(name: object, kind: str) -> Iterator[Diagnostic]:
    """Yield the problem of an array's, iterator's or node's name, if it has one."""
    if not isinstance(name, str) or not _matches(NAME_PATTERN, name):
        hint = "names are letters, digits and single underscores, and don't begin with a digit"
        yield problem(NAMES, f"{kind} {quoted(name)} has a name that it can't have", hint)
    elif is_reserved(name):
        yield problem(NAMES, f"{kind} '{name}' has the name of a function or keyword")


def _matches(pattern: str, name: str) -> bool:
    return len(name) <= MAX_CHARACTERS and re.fullmatch(pattern, name) is not None


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return the name, with the first free number where it is taken."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted.rstrip('_')}_{number}", number + 1
    return name


def read_extents(name: str, extents: Sequence[object]) -> tuple[tuple[int, ...], Diagnostic | None]:
    """Return a shape; with a diagnostic if it is none."""
    sizes = [size for size in map(whole, extents) if size is not None and 0 < size <= MAX_EXTENT]
    if len(sizes) == len(extents) <= MAX_DIMENSIONS:
        return tuple(sizes), None
    hint = f"up to {MAX_DIMENSIONS} extents, each a whole number from 1 to {MAX_EXTENT}"
    return (), problem(ARRAYS, f"{quoted(tuple(extents))} can't be the shape of {name}", hint)


def read_iterator(name: str, extent: object) -> LoopIndex:
    """Return an iterator; with problems if the extent is none."""
    count = whole(extent)
    steps = extent if count is None else range(min(count, MAX_EXTENT + 1))
    facts, ends = Facts(), (0, 0)
    if isinstance(steps, range) and steps:
        ends = (min(steps[0], steps[-1]), max(steps[0], steps[-1]))
    is_sound = ends[0] >= -MAX_EXTENT and ends[1] < MAX_EXTENT
    if not isinstance(steps, range) or not steps or not is_sound:
        hint = f"write i=64, a whole number from 1 to {MAX_EXTENT}, or i=range(1, 63)"
        message = f"{quoted(extent)} is no extent for iterator '{name}'"
        facts, steps = facts.with_problem(ITERATORS, message, hint), range(1)
    affine = Affine.iterator(name).scaled(steps.step) + Affine.of(steps.start)
    return LoopIndex.of(affine, Facts((Axis(name, len(steps)),), problems=facts.problems))


def element_type(element: str) -> ElementType | None:
    """Return an element type by its C++ or NumPy name; None if there is none."""
    if str(element).lstrip().startswith("ap_"):
        return None if element_problem(str(element)) else ElementType(element)
    for name in (str(element), f"{element}_t"):
        if name in set(ElementType):
            return ElementType(name)
    return _BY_NUMPY_NAME.get(str(element))


def unknown_element(element: object) -> tuple[str, str]:
    """Return message and hint for what is no element type."""
    is_wide = str(element).startswith("ap_")
    hint = element_problem(str(element)) if is_wide else did_you_mean(str(element), ElementType)
    return f"there is no element type {quoted(element)}", hint


def read_values(
    values: ArrayLike, element: ElementType | str | None
) -> tuple[NDArray[Any], ElementType, str]:
    """Return a copy of the values, their type, and what is wrong with them; empty if nothing is.

    Parameters
    ----------
    element
        If left out, that of the values, or for lists float or int32_t.
    """
    import numpy as np

    nothing = np.zeros(())
    try:
        array: NDArray[Any] = np.array(values)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        return nothing, ElementType.FLOAT, f"the values are no array: {error}"
    if array.dtype.kind not in "iuf":
        return nothing, ElementType.FLOAT, f"values of type {array.dtype} are no numbers"
    wanted = element
    if wanted is None and hasattr(values, "dtype"):
        wanted = array.dtype.name
    elif wanted is None:
        wanted = ElementType.FLOAT if array.dtype.kind == "f" else ElementType.INT32
    found = element_type(wanted)
    if found is None:
        return nothing, ElementType.FLOAT, f"there is no element type '{wanted}'"
    return _converted(array, found)


def _converted(array: NDArray[Any], element: ElementType) -> tuple[NDArray[Any], ElementType, str]:
    import numpy as np

    with np.errstate(all="ignore"):
        converted = array.astype("<f8" if element.is_fixed else element.dtype)
        lost = element.is_integer and array.size > 0 and bool((converted != array).any())
        if element.is_narrow and array.size > 0:
            whole = type_range(element)
            lost |= int(converted.min()) < whole.low or int(converted.max()) > whole.high
    converted.flags.writeable = False
    message = f"some values can't be represented in {element}" if lost else ""
    return converted, element, message
