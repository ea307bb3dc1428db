"""How test inputs are drawn, where a program needs others than numbers around 0.

A way is a range, ``0.5:1.5``, or ``spd``: a square matrix is symmetric and positive definite, as
decompositions and solvers need. It holds for one array, ``A=spd``, or for all that have no way of
their own; there ``spd`` leaves arrays that aren't square matrices as they are. Values may be given
as well.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from streamopt.errors import Diagnostic, VerificationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from streamopt.ir.program import Array, Program

__all__ = ["DEFINITE", "Definite", "InputRange", "InputWays", "Way", "is_square", "parsed_ways"]

_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER}):({_NUMBER})", re.ASCII)
_HINT = (
    "write 0.5:1.5, spd, A=0.5:1.5, A=spd, or the path of a file data.npz; "
    "shapes of a PyTorch module as 1x3x32x32,1x10:int64"
)


@dataclass(frozen=True, slots=True)
class InputRange:
    """Numbers from ``low`` to ``high``, both included."""

    low: float
    high: float

    def __str__(self) -> str:
        """Return the text that says so."""
        return f"{self.low!r}:{self.high!r}"


@dataclass(frozen=True, slots=True)
class Definite:
    """A symmetric positive definite matrix."""

    def __str__(self) -> str:
        """Return the text that says so."""
        return "spd"


DEFINITE = Definite()
Way: TypeAlias = InputRange | Definite


@dataclass(frozen=True, slots=True, eq=False)
class InputWays:
    """Ways by array, ``""`` for all others, and the values that are given."""

    ways: Mapping[str, Way] = field(default_factory=dict[str, "Way"])
    values: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, "NDArray[Any]"])

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the ways as texts, which `parsed_ways` reads."""
        return tuple(f"{name}={way}" if name else str(way) for name, way in self.ways.items())

    @property
    def are_given(self) -> bool:
        """Return whether anything is said at all."""
        return bool(self.ways or self.values)

    def of(self, array: Array) -> Way | None:
        """Return how an array is drawn; None for as usual."""
        own = self.ways.get(array.name)
        if own is not None:
            return own
        common = self.ways.get("")
        return None if common == DEFINITE and not is_square(array) else common

    def check(self, program: Program) -> None:
        """Refuse what doesn't suit a program.

        Raises
        ------
        VerificationError
            E725 for a name that is no input or weight, for ``spd`` of an array that is no square
            matrix, and for values of another shape.
        """
        problems = [*self._problems({array.name: array for array in program.arrays})]
        if problems:
            raise VerificationError(*problems)

    def _problems(self, arrays: Mapping[str, Array]) -> Iterator[Diagnostic]:
        given = ", ".join(name for name, array in arrays.items() if array.is_given)
        for name in dict.fromkeys([*filter(None, self.ways), *self.values]):
            array = arrays.get(name)
            if array is None or not array.is_given:
                message = f"'{name}' is no input or weight of the program"
                yield Diagnostic("E725", message, hint=f"it has {given or 'none'}")
            elif self.ways.get(name) == DEFINITE and not is_square(array):
                message = f"{name} can't be symmetric and positive definite: its shape is "
                hint = "spd is for square matrices"
                yield Diagnostic("E725", f"{message}{array.shape}", hint=hint)
            elif name in self.values and self.values[name].shape != array.shape:
                found = f"the values of '{name}' have shape {self.values[name].shape}"
                yield Diagnostic("E725", f"{found}, expected {array.shape}")


def is_square(array: Array) -> bool:
    """Return whether an array is a square matrix of numbers that are not whole."""
    return (
        len(array.shape) == 2
        and array.shape[0] == array.shape[1] > 1
        and not array.element.is_integer
    )


def parsed_ways(texts: Iterable[str]) -> dict[str, Way]:
    """Return ways by array.

    Raises
    ------
    VerificationError
        E724 for texts that say no way.
    """
    found: dict[str, Way] = {}
    problems: list[Diagnostic] = []
    for text in texts:
        name, sign, said = text.rpartition("=")
        way = _way(said)
        if way is None or (sign and not name):
            message = f"'{text}' doesn't say how test inputs are drawn"
            problems.append(Diagnostic("E724", message, hint=_HINT))
        else:
            found[name] = way
    if problems:
        raise VerificationError(*problems)
    return found


def _way(text: str) -> Way | None:
    if text == str(DEFINITE):
        return DEFINITE
    ends = _RANGE.fullmatch(text)
    if ends is None:
        return None
    low, high = map(float, ends.groups())
    return InputRange(low, high) if low <= high and math.isfinite(high - low) else None
