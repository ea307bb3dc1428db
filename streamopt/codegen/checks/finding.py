"""What a static check found in emitted code."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from streamopt.errors import Diagnostic

__all__ = ["Finding", "Severity"]


class Severity(StrEnum):
    """Whether the vendor's tool refuses a design or builds it with a warning."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that emitted code breaks.

    Attributes
    ----------
    code
        E610 to E619, one for each rule.
    function
        Where; empty for the file.
    """

    code: str
    message: str
    function: str = ""
    severity: Severity = Severity.ERROR

    @property
    def diagnostic(self) -> Diagnostic:
        """Return it as a diagnostic, to be raised."""
        where = f" in function '{self.function}'" if self.function else ""
        return Diagnostic(self.code, f"{self.message}{where}")

    def __str__(self) -> str:
        """Return ``severity: code message``."""
        return f"{self.severity}: {self.diagnostic}"
