"""Verdicts: how far the outputs of a design are from the golden ones, element by element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.errors import Diagnostic, VerificationError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamopt.verification.reference import Result

__all__ = ["Mismatch", "OutputVerdict", "Verdict", "compare_output"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One element that is further from its golden value than its tolerance."""

    index: tuple[int, ...]
    got: float
    expected: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class OutputVerdict:
    """Comparison of one output.

    Attributes
    ----------
    max_error
        Largest distance from the golden values; NaN if an element is not a number.
    max_ratio
        Largest distance over its element's tolerance; above 1, or NaN, it fails. 0 for an output
        that is equal bit by bit, infinite where an exact element is wrong.
    wrong
        Number of elements outside their tolerance.
    first
        The first of them in row-major order.
    """

    name: str
    elements: int
    max_error: float
    max_ratio: float
    wrong: int
    first: Mismatch | None

    def __str__(self) -> str:
        """Return one line, and a second one for the first wrong element."""
        state = "FAIL" if self.wrong else "pass"
        line = f"{state} {self.name}: {self.elements} elements, max error {self.max_error:g}, "
        line += f"max error/tolerance {self.max_ratio:g}"
        if self.first is None:
            return line
        element = self.name + "".join(f"[{i}]" for i in self.first.index)
        found = f"got {self.first.got:.9g}, expected {self.first.expected:.9g}"
        return f"{line}\n  {self.wrong} wrong, first {element}: {found} +- {self.first.tolerance:g}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Comparison of all outputs of one design.

    Attributes
    ----------
    first_wrong
        The first token that is not what it should be (E716), where traces were compared.
    """

    graph: str
    outputs: tuple[OutputVerdict, ...]
    first_wrong: Diagnostic | None = None

    @property
    def passed(self) -> bool:
        """Return whether every element of every output, and every token, is as it should be."""
        return self.first_wrong is None and all(output.wrong == 0 for output in self.outputs)

    def raise_if_failed(self) -> None:
        """Raise E709 for every output that is wrong, and E716 for the first wrong token.

        Raises
        ------
        VerificationError
            With the first wrong element of each output.
        """
        problems = [
            Diagnostic("E709", f"design of '{self.graph}' is wrong: {output}")
            for output in self.outputs
            if output.wrong
        ]
        if self.first_wrong is not None:
            problems.append(self.first_wrong)
        if problems:
            raise VerificationError(*problems)

    def __str__(self) -> str:
        """Return one line or two for every output, and one for the first wrong token."""
        token = [] if self.first_wrong is None else [self.first_wrong]
        return "\n".join(map(str, [*self.outputs, *token]))


def compare_output(name: str, got: NDArray[Any], golden: Result) -> OutputVerdict:
    """Compare an output with its golden values; shapes are equal.

    Equal to what the emitted testbench computes.
    """
    with np.errstate(all="ignore"):
        found = got.astype(np.float64)
        error = np.where(found == golden.value, 0.0, np.abs(found - golden.value))
        ratio = np.where(error == 0.0, 0.0, error / golden.bound)
    wrong = ~(error <= golden.bound)
    first: Mismatch | None = None
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        values = (got[index], golden.value[index], golden.bound[index])
        first = Mismatch(index, *map(float, values))
    return OutputVerdict(
        name, error.size, float(error.max()), float(ratio.max()), int(wrong.sum()), first
    )
