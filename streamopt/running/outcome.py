"""The result of a run: the verdict in a few lines, and where everything is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamopt.errors import DesignWarning, Diagnostic, SourceLoc
from streamopt.ir.schedule import Schedule
from streamopt.verification.manifest import RUN_PROJECT

GRAPH, SCHEDULE, REPORT = "graph.json", "schedule.json", "report.html"
PROJECT = RUN_PROJECT
KEPT = "incumbent.json"


class RunInterruptedError(KeyboardInterrupt):
    """A run was interrupted; ``words`` say what is kept, ``hint`` how to go on."""

    def __init__(self, words: str, hint: str) -> None:
        self.words, self.hint = words, hint
        super().__init__(words)


_FITS = {
    "slr": ", the fastest found within the vendor's guideline shares of one SLR",
    "board": ", the fastest found within the vendor's guideline shares beside the board's shell",
    "device": ", the fastest found within the vendor's guideline shares of the device",
    "raw": ", the fastest found within one SLR, which nobody is known to have routed",
    "raw-device": ", the fastest found within the device, which nobody is known to have routed",
}


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A run that has ended.

    Attributes
    ----------
    facts
        Of the design: ``simulated_cycles``, ``level``, ``proof`` and more, see `lines`.
    state
        Of the verification: ``passed``, or why it did not.
    passed
        Whether the design is known to compute the same as its source.
    problems
        Of verification and report, which leave the rest as it is.
    """

    name: str
    folder: Path
    facts: Mapping[str, Any]
    state: str
    passed: bool
    problems: tuple[Diagnostic, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Return whether the design is verified, and has its report."""
        return self.passed and not self.problems

    @property
    def project(self) -> Path:
        """Return the folder of the HLS project."""
        return self.folder / PROJECT

    @property
    def report(self) -> Path:
        """Return the page."""
        return self.folder / REPORT

    @property
    def schedule(self) -> Schedule:
        """Return the schedule."""
        from streamopt.pipeline.reading import load_schedule

        return load_schedule(self.folder / SCHEDULE)

    @property
    def warnings(self) -> tuple[DesignWarning, ...]:
        """Return the facts to know before the design is built."""
        return tuple(
            DesignWarning(
                own["code"],
                own["words"],
                own["cause"],
                own["remedy"],
                SourceLoc(own["place"]) if own["place"] else None,
            )
            for own in self.facts["warnings"]
        )

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Return the verdict as pairs of a label and words."""
        facts = self.facts
        codes = dict.fromkeys(warning.code for warning in self.warnings)
        warned = f"{len(self.warnings)}: {', '.join(codes)}" if codes else "none"
        return (
            ("simulated", str(facts["times"])),
            (f"of {facts['region']}", str(facts["shares"])),
            *((("arguments", str(facts["arguments"])),) if facts.get("arguments") else ()),
            ("proof", str(facts["proof"])),
            *((("bound by", str(facts["bound_by"])),) if "bound_by" in facts else ()),
            ("verified", self.state),
            ("warnings", warned),
            ("project", str(self.project)),
            ("report", str(self.report) if self.report.is_file() else "none"),
        )

    def __str__(self) -> str:
        """Return the verdict in a few lines."""
        width = max(len(label) for label, _ in self.lines)
        title = f"{self.name} at {self.facts['level']}{_FITS.get(str(self.facts['fit']), '')}"
        return "\n".join([title, *(f"  {label:<{width}}  {words}" for label, words in self.lines)])

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON values."""
        return {
            "name": self.name,
            **self.facts,
            "verification": self.state,
            "passed": self.passed,
            "problems": [str(problem) for problem in self.problems],
            "folder": str(self.folder),
            "project": str(self.project),
            "report": str(self.report),
        }
