"""Problems of an input, collected, and the limit that ends its reading at once."""

from dataclasses import dataclass, field

from streamopt.errors import Diagnostic, FrontendError, SourceLoc

_MOST = 100


class LimitError(Exception):
    """The input exceeds a limit (E139)."""

    def __init__(self, message: str, loc: SourceLoc | None, hint: str = "") -> None:
        self.diagnostic = Diagnostic("E139", message, loc, hint)
        super().__init__(message)


@dataclass(slots=True)
class Problems:
    """Problems in order of discovery, each once."""

    found: dict[Diagnostic, None] = field(default_factory=dict[Diagnostic, None])

    def report(self, code: str, message: str, loc: SourceLoc | None, hint: str = "") -> None:
        """Collect one problem."""
        if len(self.found) < _MOST:
            self.found.setdefault(Diagnostic(code, message, loc, hint))

    def raise_if_any(self) -> None:
        """Raise FrontendError with all problems, sorted by place, if there are any."""
        if self.found:
            raise FrontendError(*sorted(self.found, key=_place))


def _place(problem: Diagnostic) -> tuple[str, int, int]:
    loc = problem.loc
    return (loc.file, loc.line or 0, loc.column or 0) if loc is not None else ("", 0, 0)
