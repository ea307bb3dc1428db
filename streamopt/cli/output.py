"""Where results go, settled before the work begins: nothing is lost, and nothing overwritten.

A name that nobody gave is taken only where nothing is. A name that was given may hold what
streamopt wrote there before. ``-`` is stdout, and what is no regular file, such as ``/dev/null``,
takes everything.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from streamopt.cli import EXIT_INTERRUPTED
from streamopt.errors import Diagnostic, FrontendError, OutputError, SourceLoc, StreamoptError
from streamopt.ir.graph import Graph
from streamopt.ir.program import Program
from streamopt.ir.schedule import Schedule
from streamopt.space.objective import Interval
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.report.record import Record
    from streamopt.strategies.solution import Solution
    from streamopt.verification.vectors.golden import Golden

STDOUT = Path("-")
MARKS = (b'"schema_version"', b'name="generator" content="streamopt"')
"""One of them is near the beginning of every file that streamopt writes and reads again."""
HEAD_BYTES = 4096


def is_special(path: Path) -> bool:
    """Return whether a path is stdout or no file that could be lost, such as ``/dev/null``."""
    return path == STDOUT or path.is_char_device() or path.is_fifo()


def settled(given: Path | None, usual: str, *, force: bool, option: str = "-o") -> Path:
    """Return where a file goes.

    Parameters
    ----------
    given
        As the user asked; None for the usual name in the current folder.
    force
        Whether it replaces whatever is there.
    option
        That gives another name.

    Raises
    ------
    OutputError
        E545 if a file has the usual name, E546 if the given one has something else than streamopt
        writes.
    FrontendError
        E116 if its folder isn't there.
    """
    path = Path(usual) if given is None else given
    check_folders(path)
    if force or is_special(path) or not (path.exists() or path.is_symlink()):
        return path
    place = SourceLoc(str(path))
    if given is None:
        hint = f"--force replaces it, {option} gives another name"
        raise OutputError(Diagnostic("E545", "there is such a file already", place, hint))
    if path.is_dir() or not _is_ours(path):
        kind = "a folder" if path.is_dir() else "a file that streamopt has not written"
        hint = "choose another name" + (", or --force" if path.is_file() else "")
        raise OutputError(Diagnostic("E546", f"this is {kind}", place, hint))
    return path


def check_folders(*paths: Path | None) -> None:
    """Raise FrontendError (E116) for files whose folders are not there, before work is lost."""
    wrong = [
        Diagnostic(
            "E116",
            f"the file can't be written: there is no folder {path.parent}",
            SourceLoc(str(path)),
            "make it, or choose another place",
        )
        for path in paths
        if path is not None and not path.parent.is_dir()
    ]
    if wrong:
        raise FrontendError(*wrong)


def _is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return not head or any(mark in head for mark in MARKS)


def put(path: Path, content: bytes) -> None:
    """Write a file, or to stdout; raises FrontendError (E116) where the system refuses."""
    from streamopt.files import write_file

    if path != STDOUT:
        write_file(path, content)
        return
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:  # as where tests look at it
        sys.stdout.write(content.decode())
    else:
        raw.write(content)
        raw.flush()


@dataclass(frozen=True, slots=True)
class Output:
    """Where a design goes: an HLS project, or the file of its schedule."""

    project: Path | None
    """Directory of the HLS project; None for the schedule alone."""
    schedule_file: Path
    """Where the schedule goes without a project."""
    seed: int
    """Of the test bench's data."""
    data: Golden | None = None
    """Those of a project, made before what takes long; None to make them when it is written."""
    backend: str = "vitis"
    """Of the project."""

    @classmethod
    def of(
        cls, project: Path | None, schedule: Path | None, name: str, seed: int, *, force: bool
    ) -> Output:
        """Return where a design of a source goes; ``name`` is what its files are called.

        Raises
        ------
        OutputError
            E545 or E546, as `settled`; E547 for a project on stdout.
        VerificationError
            E720 for a folder that is no project.
        """
        from streamopt.verification.project import check_replaceable

        if project == STDOUT:
            hint = "give a folder; --schedule - prints the schedule"
            raise OutputError(Diagnostic("E547", "a project is a folder of files", None, hint))
        usual = f"{name}.schedule.json"
        if project is None:
            file = settled(schedule, usual, force=force, option="--schedule PATH or -o DIR")
            return cls(None, file, seed)
        if not is_special(project):
            check_replaceable(project)
        return cls(project, Path(usual), seed)

    def with_data(self, program: Program, test_inputs: Sequence[str]) -> Output:
        """Return it with the test data of the project, if there will be one.

        Raises
        ------
        VerificationError
            E713 and E724 to E727, as `streamopt.write`.
        """
        from streamopt.pipeline.building import golden_data

        if self.project is None or is_special(self.project):
            return self
        return replace(self, data=golden_data(program, self.seed, test_inputs))

    @property
    def place(self) -> Path:
        """Return the place that is written."""
        return self.project or self.schedule_file

    def told(self, name: str) -> str:
        """Return the place that was written, and the next command."""
        if self.project is None:
            hint = f"-o build/{name} writes the HLS project as well"
        else:
            hint = f"streamopt verify {self.project}; streamopt report {self.project}"
        return f"wrote {self.place}\nnext: {hint}"

    @property
    def is_stdout(self) -> bool:
        """Return whether the schedule is printed, so that nothing else should be."""
        return self.place == STDOUT

    @property
    def incumbents(self) -> Path | None:
        """Return where incumbents go: beside a project, which appears whole or not at all."""
        if is_special(self.place):
            return None
        if self.project is None:
            return self.schedule_file
        return self.project.absolute().with_name(f"{self.project.name}.incumbent.json")

    def write(
        self,
        graph: Graph,
        schedule: Schedule,
        row: Record,
        on: Target,
    ) -> None:
        """Write a schedule, with what is known of it.

        Raises
        ------
        StreamoptError
            If it can't be written (E116), or as emission does.
        """
        from streamopt import pipeline
        from streamopt.formats.schedule_json import write_schedule_json
        from streamopt.pipeline.evaluating import expected_intervals

        if self.project is None:
            put(self.schedule_file, write_schedule_json(schedule, row).encode())
            return
        expected = expected_intervals(graph, schedule, on)
        settings = pipeline.VitisSettings(part=on.part, clock_ns=on.clock_ns, intervals=expected)
        if is_special(self.project):
            pipeline.emit(graph, schedule, backend=self.backend, settings=settings)
            return
        pipeline.write(
            graph,
            schedule,
            self.project,
            backend=self.backend,
            result=row,
            seed=self.seed,
            settings=settings,
            inputs=self.data,
        )


def let_sigterm_interrupt() -> None:
    """Let SIGTERM end a command as Ctrl-C does, with all that is tidied up then."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def interrupted(words: str = "") -> NoReturn:
    """End with exit code 130, and say what there is."""
    typer.echo(f"interrupted{words}", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)


def cost_words(solution: Solution) -> str:
    """Return the objective of a solution and its bound, in words."""
    objective = solution.problem.objective
    unit = "cycles between frames" if isinstance(objective, Interval) else objective.unit
    return f"{solution.cost} {unit}, bound {solution.bound}"


@contextmanager
def keeping(to: Output) -> Generator[Callable[[Solution], None]]:
    """Yield a callback that writes every incumbent to a file: the last one stays, however it ends.

    In ``result`` it is marked as not final, with the bound so far. An interrupt or an error says
    where it is.
    """
    last: list[Solution] = []

    def keep(solution: Solution) -> None:
        if to.incumbents is not None:
            _write(to, solution)
        last[:] = [solution]

    try:
        yield keep
    except KeyboardInterrupt:
        interrupted(f": {_told(to, last[0])}" if last else " before a first schedule")
    except StreamoptError:
        if last and to.incumbents is not None:
            typer.echo(f"kept the best schedule so far: {_told(to, last[0])}", err=True)
        raise


def _told(to: Output, solution: Solution) -> str:
    costs = cost_words(solution)
    return f"found {costs}" if to.incumbents is None else f"wrote {to.incumbents}, {costs}"


def _write(to: Output, solution: Solution) -> None:
    from streamopt import pipeline
    from streamopt.formats.schedule_json import save_schedule_json
    from streamopt.report.record import Record

    assert to.incumbents is not None
    if to.project is not None:
        with suppress(OSError):  # what follows says that it can't be written
            to.incumbents.parent.mkdir(parents=True, exist_ok=True)
    row = pipeline.record(solution) | Record(final=False)
    save_schedule_json(to.incumbents, solution.schedule, row)
