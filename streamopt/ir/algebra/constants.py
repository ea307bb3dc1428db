"""Types of constants: element types of NumPy's, and the narrowest that have all of some numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.element import ElementType

MAX_ELEMENTS = 2**24
"""Most elements of a tensor that is computed here; some ten temporaries of 64 MB."""


def element_of(dtype: np.dtype[Any]) -> ElementType | None:
    """Return the element type of a NumPy type, `bool` being ``uint8_t``; None if there is none."""
    if dtype == np.bool_:
        return ElementType.UINT8
    return next((e for e in ElementType if np.dtype(e.dtype) == dtype), None)


def least_integers(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers in the narrowest type that has all of them; other values as they are."""
    if values.dtype.kind not in "iu" or not values.size:
        return values
    low, high = int(values.min()), int(values.max())
    for bits in (8, 16, 32):
        for name in (f"int{bits}", f"uint{bits}"):
            known = np.iinfo(name)
            if bits < 8 * values.itemsize and known.min <= low and high <= known.max:
                return values.astype(name)
    return values


def least_element(values: NDArray[Any]) -> ElementType | None:
    """Return the type of 2 or 4 bits that has all of some integers, if one of 8 bits is more."""
    if values.dtype != np.int8 or not values.size:
        return None
    low, high = int(values.min()), int(values.max())
    fitting = (bits for bits in (2, 4) if -(1 << (bits - 1)) <= low and high < 1 << (bits - 1))
    return next((ElementType(f"ap_int<{bits}>") for bits in fitting), None)
