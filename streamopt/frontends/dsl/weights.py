"""Values of weights as arrays; only this module of the DSL needs NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.frontends.dsl.functions import element_type
from streamopt.ir.element import ElementType

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["read_values"]


def read_values(
    values: ArrayLike, element: ElementType | str | None
) -> tuple[NDArray[Any], ElementType, str]:
    """Return a copy of the values, their type, and what is wrong with them; empty if nothing is.

    Parameters
    ----------
    element
        If left out, that of the values, or for lists float or int32_t.
    """
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
    with np.errstate(all="ignore"):
        converted = array.astype("<f8" if element.is_fixed else element.dtype)
        lost = element.is_integer and array.size > 0 and bool((converted != array).any())
    converted.flags.writeable = False
    message = f"some values can't be represented in {element}" if lost else ""
    return converted, element, message
