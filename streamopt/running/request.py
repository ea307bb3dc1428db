"""The question to a run, and its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from streamopt.errors import Diagnostic, OptionError
from streamopt.ir.program import Program
from streamopt.options import option_group
from streamopt.pipeline.design_limits import Budget
from streamopt.pipeline.solving import WHOLE
from streamopt.pipeline.sources.readers import PLAIN, SourceOptions
from streamopt.running.digests import digest, file_digests
from streamopt.running.steps import Listener, Silence, Step
from streamopt.strategies.effort import Effort
from streamopt.strategies.opt6.choices import Space
from streamopt.target.device import Target, or_usual

_DATA = ".npz"


@option_group(first=("", *Step))
@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run reads its source, tests its design, and goes on from an earlier one.

    Attributes
    ----------
    source
        How the source is read.
    name
        Of the program, instead of the source's own.
    space
        What may be decided beyond the level.
    interface, ports
        How arrays cross the boundary, as in `streamopt.plan_ports`.
    inputs
        Test inputs, as in `streamopt.write`: texts or ``.npz`` files.
    compiler
        Of C++17, with the options of g++.
    first
        A step, ``read`` to ``report``, that is done anew, as all after it are. After an interrupted
        search, ``write`` and later ones take the schedule that was kept.
    force
        Whether the run begins anew, and replaces a run of another source or a project.
    listener
        Is told of steps and of the search.
    """

    source: SourceOptions = PLAIN
    name: str | None = None
    space: Space = WHOLE
    interface: str = ""
    ports: Mapping[str, str] = field(default_factory=dict[str, str])
    inputs: Sequence[str] = ()
    compiler: str = "g++"
    first: str = ""
    force: bool = False
    listener: Listener = field(default_factory=Silence)


USUAL_OPTIONS = RunOptions()


@dataclass(frozen=True, slots=True)
class Request:
    """One run: of which source, to which folder, and for what."""

    source: str | Program
    folder: Path
    level: str
    dsp: int | None
    time_limit: float | None
    budget: Budget
    effort: Effort
    options: RunOptions

    @property
    def device(self) -> Target:
        """Return the target."""
        return or_usual(self.budget.device)

    @property
    def identity(self) -> str:
        """Return the source as a folder remembers it: an absolute path, and a name in the file."""
        if isinstance(self.source, Program):
            return f"the program {self.source.name}"
        path, colon, name = _parts(self.source)
        top = self.options.source.top
        return f"{Path(path).absolute()}{colon}{name}{f' --top {top}' if top else ''}"

    def redoes(self, step: Step) -> bool:
        """Return whether a step is done anew even if it need not be."""
        first = self.options.first
        return bool(first) and step.place >= Step(first).place

    def problem_key(self, graph: str) -> str:
        """Return the digest of the problem: a graph, the open decisions and limits, no effort."""
        own = self.options
        return digest(graph, self.level, self.dsp, self.budget, own.space, own.interface, own.ports)

    def solve_key(self, graph: str) -> str:
        """Return the digest of the problem and of the effort."""
        return digest(self.problem_key(graph), self.time_limit, self.effort)

    def write_key(self, graph: str, schedule: str) -> str:
        """Return the digest of a project."""
        own, seed = self.options.inputs, self.effort.seed
        files = file_digests(text for text in own if text.endswith(_DATA))
        return digest(graph, schedule, own, files, seed, self.device)


def usual_folder(source: str | Program, options: RunOptions) -> Path:
    """Return ``build/NAME`` in the current folder, NAME being the program's, or the file's.

    Raises
    ------
    OptionError
        E541 where a source has no name to call a folder by.
    """
    if isinstance(source, Program):
        return Path("build") / source.name
    path, _, name = _parts(source)
    found = options.name or name or options.source.top or Path(path).absolute().stem
    if not found:
        raise OptionError(Diagnostic("E541", f"'{source}' is no source", hint="give a file"))
    return Path("build") / found


def _parts(source: str) -> tuple[str, str, str]:
    """Return the path of a source, and the name after a colon."""
    if ".py:" not in source:
        return source, "", ""
    return source.rpartition(":")
