"""A run: read, graph, solve, write, verify, report; each step once, as long as nothing changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, StreamoptError
from streamopt.explanation.bottleneck import bottleneck
from streamopt.files import read_text
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.ports import PortPlan
from streamopt.ir.program import Program
from streamopt.options import checked
from streamopt.pipeline.building import golden_data, verify, write
from streamopt.pipeline.design_limits import Budget
from streamopt.pipeline.evaluating import expected_intervals
from streamopt.pipeline.ports import plan_ports
from streamopt.pipeline.reading import dataflow, load, save
from streamopt.pipeline.reporting import known_to_report, report_of
from streamopt.pipeline.solving import UNLIMITED, USUAL
from streamopt.pipeline.sources.readers import is_text
from streamopt.running.digests import digest, file_digest, file_digests, opened_files
from streamopt.running.journal import DoneStep, RunJournal, journal_of
from streamopt.running.outcome import (
    GRAPH,
    KEPT,
    PROJECT,
    REPORT,
    SCHEDULE,
    RunInterruptedError,
    RunOutcome,
)
from streamopt.running.request import USUAL_OPTIONS, Request, RunOptions, usual_folder
from streamopt.running.search import Found, Question, kept_before, searched, taken
from streamopt.running.steps import Step, StepEnd
from streamopt.space.level import LevelName
from streamopt.strategies.effort import Effort
from streamopt.verification.compare import DesignVerdict
from streamopt.verification.manifest import MANIFEST, read_manifest
from streamopt.verification.vectors.golden import Golden

if TYPE_CHECKING:
    from streamopt.pipeline.sources.readers import Readable


@checked(level=LevelName)
def run(
    source: Readable,
    folder: str | PathLike[str] | None = None,
    *,
    level: str = LevelName.OPT6,
    dsp: int | None = None,
    time_limit: float | None = None,
    budget: Budget = UNLIMITED,
    effort: Effort = USUAL,
    options: RunOptions = USUAL_OPTIONS,
) -> RunOutcome:
    """Return a verified design of a source, with its report; all in one folder.

    Steps that an earlier run in the folder has done are kept, as long as source, options and
    version are the same and nobody has changed their files. An interrupted search leaves its best
    schedule, which the next one begins with.

    Parameters
    ----------
    source
        Anything that `load` reads; a path, where the next run is to see that nothing has changed
        without reading it.
    folder
        ``build/NAME`` in the current folder where not given.
    level
        ``opt6``, the fastest design within the vendor's guideline shares, or another one.
    dsp
        DSPs, as `solve` counts them.
    time_limit
        Seconds of the search, as for `solve`.
    budget
        Limits on the design as built, and the device.
    effort
        The solver and its options.
    options
        How the source is read and the design tested, and the step to begin with.

    Raises
    ------
    OutputError
        E571 to E575 for a folder that can't be used.
    RunInterruptedError
        A KeyboardInterrupt that says what is kept.
    StreamoptError
        As `load`, `solve` and `write`. A verification or a report that fails is part of the
        outcome.
    """
    known = _known(source, options)
    where = usual_folder(known, options) if folder is None else Path(folder)
    request = Request(known, where, level, dsp, time_limit, budget, effort, options)
    with journal_of(where, request.identity, force=options.force) as journal:
        return _Course(request, journal).run()


_BEGINNING = {
    Step.VERIFY: "{compiler} compiles it, and it runs on test inputs",
    Step.REPORT: "simulating and drawing",
}


@dataclass(frozen=True, slots=True)
class _Made:
    """The result of a step's work."""

    words: str
    files: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    facts: dict[str, Any] | None = None


class _Course:
    """One run under way."""

    def __init__(self, request: Request, journal: RunJournal) -> None:
        self._request, self._journal = request, journal
        self._folder, self._options = request.folder, request.options
        self._version = _version()
        self._problems: list[Diagnostic] = []
        self._golden: Golden | None = None

    def run(self) -> RunOutcome:
        """Do all steps."""
        program = self._read()
        graph, ports = self._graph(program)
        facts = self._solve(graph, ports)
        found = Found.load(self._folder / SCHEDULE)
        assert found is not None
        self._write(graph, found)
        verdict = self._verify()
        facts = {**facts, **self._report(graph, found)}
        passed = verdict is not None
        state = verdict or f"no: {_words(self._problems[0])}"
        return RunOutcome(program.name, self._folder, facts, state, passed, tuple(self._problems))

    def _step(self, step: Step, key: str, work: Callable[[], _Made]) -> DoneStep:
        """Return a step as it was done before, or do it."""
        listener = self._options.listener
        listener.begin(step, _BEGINNING.get(step, "").format(compiler=self._options.compiler))
        began = perf_counter()
        try:
            if not self._request.redoes(step):
                self._journal.check_unedited(step)
                if (done := self._journal.done(step, key)) is not None:
                    listener.end(step, done.words, StepEnd.KEPT)
                    return done
            self._journal.drop(step)
            made = work()
        except StreamoptError as error:
            listener.end(step, _first_words(error), StepEnd.FAILED)
            raise
        except RunInterruptedError as stopped:
            listener.end(step, f"interrupted, {stopped.words}", StepEnd.FAILED)
            raise
        except KeyboardInterrupt:
            listener.end(step, "interrupted", StepEnd.FAILED)
            hint = "the same command goes on here"
            raise RunInterruptedError(f"in the step {step}", hint) from None
        done = DoneStep(
            key=key,
            reads=file_digests(made.reads),
            files={name: file_digest(self._folder / name) for name in made.files},
            words=made.words,
            facts=made.facts or {},
            seconds=round(perf_counter() - began, 3),
        )
        self._journal.finish(step, done)
        listener.end(step, made.words)
        return done

    def _read(self) -> Program:
        """Return the program, and write it as a graph."""
        source, options, found = self._request.source, self._options, list[Program]()

        def work() -> _Made:
            with opened_files() as opened:
                if isinstance(source, Program):
                    program = source
                else:
                    program = load(source, name=options.name, options=options.source)
            files = tuple(path.name for path in save(program, self._folder / GRAPH))
            found.append(program)
            words = f"{_named(source)}: {_count(len(program.nests), 'loop nest')}"
            return _Made(words, files, tuple(str(Path(path).absolute()) for path in opened))

        asked = _text(source) if isinstance(source, Program) else str(source)
        self._step(Step.READ, digest(self._version, asked, options.source, options.name), work)
        return found[0] if found else load(self._folder / GRAPH)

    def _graph(self, program: Program) -> tuple[Graph, tuple[PortPlan, ...]]:
        """Return the graph and its ports, and make test data before the long search."""
        options, on = self._options, self._request.device
        options.listener.begin(Step.GRAPH)
        try:
            graph, ports = dataflow(program), ()
            if options.interface or options.ports:
                usual = options.interface or "memory"
                ports = plan_ports(graph, usual, ports=options.ports, device=on)
            key = self._write_key(Found.load(self._folder / SCHEDULE))
            is_written = self._journal.done(Step.WRITE, key) is not None
            if not is_written or self._request.redoes(Step.WRITE):
                self._golden = golden_data(program, self._request.effort.seed, options.inputs)
        except StreamoptError as error:
            options.listener.end(Step.GRAPH, _first_words(error), StepEnd.FAILED)
            raise
        sequential = sum(isinstance(node, SequentialNode) for node in graph.nodes)
        counts = [
            _count(len(graph.nodes), "node"),
            _count(len(graph.edges), "channel"),
            *([f"{sequential} sequential"] if sequential else []),
        ]
        options.listener.end(Step.GRAPH, ", ".join(counts))
        return graph, ports

    def _solve(self, graph: Graph, ports: tuple[PortPlan, ...]) -> dict[str, Any]:
        """Return the facts of the best schedule, which is in its file then."""
        request, folder = self._request, self._folder
        problem = request.problem_key(self._source_digest)
        before = kept_before(folder, problem)
        is_taken = self._options.first and Step(self._options.first).place > Step.SOLVE.place

        def work() -> _Made:
            if is_taken and before is not None:
                found, facts = taken(request, graph, before)
            else:
                if before is not None:
                    words = f"an earlier search found {before.words}"
                    self._options.listener.begin(Step.SOLVE, words)
                found, facts = searched(request, Question(graph, ports, problem, before))
            found.save(folder / SCHEDULE)
            with suppress(OSError):
                (folder / KEPT).unlink(missing_ok=True)
            return _Made(f"{facts['times']}; {facts['proof']}", (SCHEDULE,), facts=facts)

        return self._step(Step.SOLVE, request.solve_key(self._source_digest), work).facts

    @cached_property
    def _source_digest(self) -> str:
        """Return the digest of the version and of the program, wherever its lines are."""
        path = self._folder / GRAPH
        document: dict[str, Any] = json.loads(read_text(path))
        nodes: list[dict[str, Any]] = [
            {**node, "place": None, "reason": None} for node in document["nodes"]
        ]
        weights = file_digest(path.with_suffix(".npz"))
        return digest(self._version, {**document, "nodes": nodes}, weights)

    def _write_key(self, found: Found | None) -> str:
        known = None if found is None else (found.schedule, {**found.row, "solve_seconds": 0})
        return self._request.write_key(self._source_digest, digest(known))

    def _write(self, graph: Graph, found: Found) -> None:
        """Write the project."""
        on, project = self._request.device, self._folder / PROJECT

        def work() -> _Made:
            from streamopt.codegen.backends.vitis_project import VitisSettings

            intervals = expected_intervals(graph, found.schedule, on)
            design = write(
                graph,
                found.schedule,
                project,
                result=found.row,
                seed=self._request.effort.seed,
                settings=VitisSettings(part=on.part, clock_ns=on.clock_ns, intervals=intervals),
                inputs=self._golden or self._options.inputs,
            )
            words = f"{project}: {design.top}.cpp and {len(design.files) - 1} other files"
            return _Made(words, (f"{PROJECT}/{MANIFEST}",))

        self._step(Step.WRITE, self._write_key(found), work)

    def _verify(self) -> str | None:
        """Return the state of the project in words; None if it is not as it should be."""
        project, compiler = self._folder / PROJECT, self._options.compiler
        names = [MANIFEST, *read_manifest(project).written.digests]
        files = file_digests(project / name for name in names)
        wrong: list[DesignVerdict] = []

        def work() -> _Made:
            verdict = verify(project, compiler=compiler)
            if not verdict.passed:
                wrong.append(verdict)
                verdict.raise_if_failed()
            return _Made(_verdict_words(verdict, compiler))

        try:
            return self._step(Step.VERIFY, digest(self._version, files, compiler), work).words
        except StreamoptError as error:
            self._problems += error.diagnostics
            return None

    def _report(self, graph: Graph, found: Found) -> dict[str, Any]:
        """Write the page, and return the bottleneck of the design."""

        def work() -> _Made:
            on = self._request.device
            design = known_to_report(graph, found.schedule, on, found.row)
            words = str(report_of(graph, design).write(self._folder / REPORT))
            return _Made(words, (REPORT,), facts={"bound_by": bottleneck(design).words})

        with suppress(StreamoptError):
            return self._step(Step.REPORT, self._write_key(found), self._noting(work)).facts
        return {}

    def _noting(self, work: Callable[[], _Made]) -> Callable[[], _Made]:
        """Return work whose problems are kept for the outcome."""

        def noted() -> _Made:
            try:
                return work()
            except StreamoptError as error:
                self._problems += error.diagnostics
                raise

        return noted


def _known(source: Readable, options: RunOptions) -> str | Program:
    """Return the path of a file as it is, and the program of anything else."""
    if isinstance(source, Path) or (isinstance(source, str) and not is_text(source)):
        return str(source)
    return load(source, name=options.name, options=options.source)


def _version() -> str:
    from streamopt.sweeping.environment import sources

    return sources()


def _text(program: Program) -> str:
    """Return a program as text, with a digest of its weights."""
    from streamopt.formats.graph_json import write_graph_json
    from streamopt.formats.weights import weights_bytes

    return write_graph_json(program) + sha256(weights_bytes(program)).hexdigest()


def _named(source: object) -> str:
    return source.name if isinstance(source, Program) else Path(str(source)).name


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _first_words(error: StreamoptError) -> str:
    return _words(error.diagnostics[0])


def _words(problem: Diagnostic) -> str:
    """Return a problem on one line."""
    return f"{problem.code} {problem.message}".splitlines()[0]


def _verdict_words(verdict: DesignVerdict, compiler: str) -> str:
    outputs = ", ".join(f"{each.name} max error {each.max_error:.3g}" for each in verdict.outputs)
    return f"{verdict.state}: compiled with {compiler} and compared with the source, {outputs}"
