"""Diagnostics and the error family of every stage; imported by all layers, imports none.

A diagnostic says what is wrong in the user's names, where, and what to change. A stage collects
its diagnostics and raises them once.
"""

import re
from dataclasses import dataclass

__all__ = [
    "CodegenError",
    "DesignWarning",
    "Diagnostic",
    "FrontendError",
    "InfeasibleError",
    "LegalityError",
    "MissingExtraError",
    "OptionError",
    "OutputError",
    "ReportError",
    "SimulationError",
    "SolverError",
    "SourceLoc",
    "StrategyError",
    "StreamoptError",
    "SweepError",
    "SynthesisReportError",
    "TargetError",
    "VerificationError",
    "reason",
    "said",
    "source_loc",
]


@dataclass(frozen=True, slots=True)
class SourceLoc:
    """A place in the user's input: a file, and a line or a path inside a JSON document."""

    file: str
    path: str = ""
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Return ``file:line:column``, as editors have it, or ``file:path:column``."""
        column = f":{self.column}" if self.column is not None else ""
        if self.line is not None:
            return f"{self.file}:{self.line}{column}"
        return f"{self.file}:{self.path}{column}" if self.path else self.file


def source_loc(text: str) -> SourceLoc:
    """Return the place that a text names, as ``str`` of one with a line writes it.

    >>> source_loc("kernel.c:12:3")
    SourceLoc(file='kernel.c', path='', line=12, column=3)
    """
    found = re.fullmatch(r"(.+?):([0-9]{1,9})(?::([0-9]{1,9}))?", text, re.DOTALL)
    if found is None:
        return SourceLoc(text)
    file, line, column = found.groups()
    return SourceLoc(file, "", int(line), None if column is None else int(column))


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: a stable code, a message, its place and what to change."""

    code: str
    message: str
    loc: SourceLoc | None = None
    hint: str = ""

    def __str__(self) -> str:
        """Return ``place: code message`` and, on a second line, the hint."""
        place = f"{self.loc}: " if self.loc is not None else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{place}{self.code} {self.message}{hint}"


@dataclass(frozen=True, slots=True)
class DesignWarning:
    """A fact to know before a design is built: a stable code, and what to do about it."""

    code: str
    words: str
    """The fact."""
    cause: str = ""
    """The reason of it, or the evidence; empty where the words say it all."""
    remedy: str = ""
    """The change that avoids it; empty where there is none."""
    place: SourceLoc | None = None
    """In the user's source; None where it is of the whole design."""

    def __str__(self) -> str:
        """Return ``place: code words: cause`` and, on a second line, the remedy."""
        place = f"{self.place}: " if self.place is not None else ""
        cause = f": {self.cause}" if self.cause else ""
        remedy = f"\n  hint: {self.remedy}" if self.remedy else ""
        return f"{place}{self.code} {self.words}{cause}{remedy}"


class StreamoptError(Exception):
    """Base of every error that streamopt raises on purpose; carries its diagnostics."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = diagnostics
        super().__init__("\n".join(str(diagnostic) for diagnostic in diagnostics))


class FrontendError(StreamoptError):
    """The input can't be read as a program or graph (codes E1xx)."""


class LegalityError(StreamoptError):
    """A transform or schedule would change what the program computes (codes E2xx, E3xx)."""


class InfeasibleError(StreamoptError):
    """No schedule fits the limits that were given (codes E4xx)."""


class StrategyError(StreamoptError):
    """A strategy of another system can't take the graph (codes E53x, E55x, E56x)."""


class OptionError(StreamoptError, TypeError, ValueError):
    """A function was called with an option that it doesn't have or take (codes E541 to E544)."""


class OutputError(StreamoptError):
    """A result can't go where it was to (codes E545 to E547)."""


class SolverError(StreamoptError):
    """A solver is missing, unlicensed, unable or failed (codes E5xx)."""


class CodegenError(StreamoptError):
    """A scheduled graph can't be written as C++ (codes E6xx)."""


class SimulationError(StreamoptError):
    """A design can't be simulated, or comes to a standstill (codes E80x, E81x)."""


class VerificationError(StreamoptError):
    """A design could not be checked, or computes something else than its source (codes E7xx)."""


class TargetError(StreamoptError):
    """A device is unknown, its file is wrong, or it lacks an operator (codes E85x)."""


class ReportError(StreamoptError):
    """A picture or table can't be made as asked (codes E87x)."""


class SynthesisReportError(StreamoptError):
    """A report of synthesis can't be read, or is of another design (codes E86x)."""


class SweepError(StreamoptError):
    """An experiment can't be read or run as asked (codes E88x)."""


class MissingExtraError(StreamoptError):
    """A package is missing that only some functions need (code E890)."""


_NUMBERS = {
    "Input should be a valid integer": "a whole number",
    "Input should be a valid number": "a number",
}
"""How pydantic begins what it says of words that are no numbers, and what it wants."""


def said(validation: str) -> str:
    """Return a message of pydantic in the words of this package."""
    for start, wanted in _NUMBERS.items():
        if validation.startswith(start):
            return f"{wanted} is expected"
    return validation.removeprefix("Value error, ")


def reason(error: OSError | ValueError) -> str:
    """Return in words why a file can't be read or written."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 text: byte {error.start}"
    return str(getattr(error, "strerror", None) or error)
