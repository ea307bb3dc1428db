"""Verdicts: how far the outputs of a design are from the golden ones, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, VerificationError
from streamopt.verification.reference.execution import Result


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One element that is further from its golden value than its tolerance."""

    index: tuple[int, ...]
    got: float
    expected: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class OutputVerdict:
    """Comparison of one output."""

    name: str
    elements: int
    max_error: float
    """Largest distance from the golden values; NaN if an element is not a number."""
    max_ratio: float
    """Largest distance over its element's tolerance; above 1, or NaN, it fails. 0 for an output
    that is equal bit by bit, infinite where an exact element is wrong."""
    wrong: int
    """Number of elements outside their tolerance."""
    first: Mismatch | None
    """The first of them in row-major order."""
    unchecked: int = 0
    """Number of elements that nothing is known of, as no test inputs suit the program."""

    def __str__(self) -> str:
        """Return one line, and a second one for the first wrong element."""
        state = "FAIL" if self.wrong else "UNCHECKED" if self.unchecked else "pass"
        line = f"{state} {self.name}: {self.elements} elements, "
        line += f"{self.unchecked} unchecked, " if self.unchecked else ""
        line += f"max error {self.max_error:g}, max error/tolerance {self.max_ratio:g}"
        if self.first is None:
            return line
        element = self.name.partition(" ")[0] + "".join(f"[{i}]" for i in self.first.index)
        found = f"got {self.first.got:.9g}, expected {self.first.expected:.9g}"
        return f"{line}\n  {self.wrong} wrong, first {element}: {found} +- {self.first.tolerance:g}"


@dataclass(frozen=True, slots=True)
class DesignVerdict:
    """Comparison of all outputs of one design."""

    graph: str
    outputs: tuple[OutputVerdict, ...]
    first_wrong: Diagnostic | None = None
    """The first token that is not what it should be (E716), where traces were compared."""
    edits: tuple[Diagnostic, ...] = ()
    """Where files differ from what was emitted (E728)."""
    may_be_edited: bool = False
    """Whether files may differ."""
    notes: tuple[str, ...] = ()
    """Checks that were left out, and why."""
    # measured_ends, simulated_ends: cycles at which frames end in Verilog, and in the network that
    # it is; nothing of other designs
    measured_ends: tuple[int, ...] = ()
    simulated_ends: tuple[int, ...] = ()

    @property
    def measured_cycles(self) -> int | None:
        """Return the cycles of a design in Verilog; None of others."""
        return self.measured_ends[0] if self.measured_ends else None

    @property
    def simulated_cycles(self) -> int | None:
        """Return the cycles of the network that a design in Verilog is; None of others."""
        return self.simulated_ends[0] if self.simulated_ends else None

    @property
    def measured_interval_cycles(self) -> int | None:
        """Return the cycles between the last frames in Verilog; None of fewer than two."""
        return _interval_cycles(self.measured_ends)

    @property
    def simulated_interval_cycles(self) -> int | None:
        """Return the same of the network."""
        return _interval_cycles(self.simulated_ends)

    @property
    def passed(self) -> bool:
        """Return whether every element of every output, token and file is as it should be."""
        return not (self.is_wrong or self.unchecked or (self.edits and not self.may_be_edited))

    @property
    def state(self) -> str:
        """Return the verdict in a word or two."""
        if self.is_wrong:
            return "FAILED"
        if self.edits and not self.may_be_edited:
            return "FAILED: files differ from what was emitted; --allow-edits lets them"
        if self.unchecked:
            return "UNCHECKED: no test inputs were found that suit the program"
        return "passed, with edits" if self.edits else "passed"

    @property
    def is_wrong(self) -> bool:
        """Return whether an element or a token is not as it should be."""
        return self.first_wrong is not None or any(output.wrong for output in self.outputs)

    @property
    def unchecked(self) -> int:
        """Return the number of elements of outputs that nothing is known of."""
        return sum(output.unchecked for output in self.outputs)

    def raise_if_failed(self) -> None:
        """Raise what is wrong: an output (E709), the first wrong token (E716), a file (E728).

        E729 where nothing is known to be wrong, but not all is checked.

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
        if not self.may_be_edited:
            problems += self.edits
        if self.unchecked and not problems:
            message = f"{self.unchecked} elements of outputs of '{self.graph}' are unchecked"
            hint = "write the project with test inputs that suit the program"
            problems.append(Diagnostic("E729", message, hint=hint))
        if problems:
            raise VerificationError(*problems)

    def __repr__(self) -> str:
        """Return the verdict on one line."""
        return f"<DesignVerdict of {self.graph}: {self.state}>"

    def __str__(self) -> str:
        """Return one line or two for every output, and one for each edit and note."""
        token = [] if self.first_wrong is None else [self.first_wrong]
        notes = (f"note: {note}" for note in self.notes)
        lines = map(str, [*self.outputs, *token, *self.edits, *notes])
        return "\n".join([*lines, *self._cycles()])

    def _cycles(self) -> Iterator[str]:
        cycles = (self.measured_cycles, self.simulated_cycles)
        apart = (self.measured_interval_cycles, self.simulated_interval_cycles)
        for words, (measured, simulated) in (("cycles", cycles), ("cycles between frames", apart)):
            if measured is not None:
                told = "" if simulated is None else f", {simulated:,} simulated"
                yield f"{measured:,} {words} measured{told}"


def _interval_cycles(ends: tuple[int, ...]) -> int | None:
    """Return the mean distance of the last three ends, or the only two, as simulations tell it."""
    last = ends[-3:]
    return -((last[0] - last[-1]) // (len(last) - 1)) if len(last) > 1 else None


def compare_output(name: str, got: NDArray[Any], golden: Result) -> OutputVerdict:
    """Compare an output with its golden values; shapes are equal.

    Equal to what the emitted testbench computes.
    """
    with np.errstate(all="ignore"):
        found = got.astype(np.float64)
        error = np.where(found == golden.value, 0.0, np.abs(found - golden.value))
        ratio = np.where(error == 0.0, 0.0, error / golden.bound)
    unknown = np.isnan(golden.value) | ~np.isfinite(golden.bound)
    error, ratio = np.where(unknown, 0.0, error), np.where(unknown, 0.0, ratio)
    wrong = ~unknown & ~(error <= golden.bound)
    first: Mismatch | None = None
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        values = (got[index], golden.value[index], golden.bound[index])
        first = Mismatch(index, *map(float, values))
    return OutputVerdict(
        name,
        error.size,
        float(error.max()),
        float(ratio.max()),
        int(wrong.sum()),
        first,
        int(unknown.sum()),
    )
