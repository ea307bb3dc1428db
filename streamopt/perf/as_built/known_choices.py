"""Parts of the costs of one node's choices, kept for other orders and bindings to share.

Bindings have the run of an order in common, but for its depth; orders have the interval and the
operators, where their sums come back after as many iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]


MOST_PARTS = 512
"""That are kept, those that were asked for last: a node has thousands of orders."""


class KnownChoices:
    """Parts of the costs of vectors of unroll factors of one node.

    Parameters
    ----------
    factors
        The vectors, by loop.
    """

    def __init__(self, node: str, factors: Mapping[str, Integers]) -> None:
        self._key = _key(node, factors)
        self._parts: dict[Hashable, Any] = {}

    def of_factors(self, node: str, factors: Mapping[str, Integers]) -> KnownChoices:
        """Return the same if it is of these vectors, or none known of them."""
        return self if self._key == _key(node, factors) else KnownChoices(node, factors)

    def of(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return a part, made where it isn't known; it must not be changed."""
        found = self._parts.pop(key, None)
        self._parts[key] = found = make() if found is None else found
        if len(self._parts) > MOST_PARTS:
            del self._parts[next(iter(self._parts))]
        return found


def _key(node: str, factors: Mapping[str, Integers]) -> tuple[str, tuple[bytes, ...]]:
    return node, tuple(own.tobytes() for own in factors.values())
