"""Golden cases of passes: a program, and its text before and after the pass, in one file.

The first line names the pass, the second says what the case shows; then follow sections. Only
``program`` is written by hand; ``pytest --update-golden`` writes the others, and fails, so that
a run that changes them never counts as one that checks them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["UNCHANGED", "GoldenCase", "check_golden", "golden_cases"]

UNCHANGED = "(as before)"
_SECTION = re.compile(r"^--- (program|before|after)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One case file.

    Attributes
    ----------
    applied
        The pass as the file names it, with its options.
    title
        What the case shows, in one sentence.
    """

    path: Path
    applied: str
    title: str
    program: str
    before: str
    after: str

    def text(self) -> str:
        """Return the text of the file."""
        sections = {"program": self.program, "before": self.before, "after": self.after}
        parts = "".join(f"\n--- {name}\n{body.strip()}\n" for name, body in sections.items())
        return f"{self.applied}\n{self.title}\n{parts}"


def golden_cases(folder: Path) -> Iterator[GoldenCase]:
    """Yield the cases of a folder and those inside it, in the order of their paths."""
    for path in sorted(folder.rglob("*.txt")):
        head, *parts = _SECTION.split(path.read_text())
        applied, title = head.strip().split("\n")
        sections = dict(zip(parts[::2], (body.strip() for body in parts[1::2]), strict=True))
        texts = (sections.get(name, "") for name in ("program", "before", "after"))
        yield GoldenCase(path, applied, title, *texts)


def check_golden(case: GoldenCase, before: str, after: str, *, update: bool) -> None:
    """Compare what a pass makes of a program with the case; write the case, if asked to."""
    after = UNCHANGED if after.strip() == before.strip() else after
    found = GoldenCase(case.path, case.applied, case.title, case.program, before, after)
    if update:
        case.path.write_text(found.text())
        pytest.fail(f"{case.path.name} is written: look at it, and run again without the option")
    assert found.text() == case.path.read_text()
