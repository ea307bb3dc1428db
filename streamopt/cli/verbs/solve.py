"""``streamopt solve``: a schedule with a proof, and the HLS project that carries it out."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.output import Output, cost_words, interrupted, keeping
from streamopt.cli.progress import Board, showing
from streamopt.cli.reading import Reading, asked_ports, listed, stem
from streamopt.cli.verb import deciding
from streamopt.codegen.design import BackendName
from streamopt.ir.graph import Graph
from streamopt.ir.ports import PortPlan
from streamopt.ir.program import Program
from streamopt.solvers.result import Stop
from streamopt.space.level import LevelName
from streamopt.space.objective import ObjectiveName, named_objective
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.pipeline import Budget, Evaluation, FifoSizing, Space
    from streamopt.report.record import Record
    from streamopt.space.fixed import Fixed
    from streamopt.strategies.solution import Solution

Steps = Annotated[
    Path | None, deciding("--steps", metavar="PATH", help="Loop steps to follow, as JSON.")
]


@dataclass(frozen=True, slots=True)
class Within:
    """The options that limit a design as built."""

    built_dsp: a.BuiltDsp = None
    bram18: a.Bram18 = None
    uram: a.Uram = None
    lut: a.Lut = None
    ff: a.Ff = None
    fit: a.Fit = None

    def budget(self, on: Target) -> Budget:
        """Return the limits, with the target that is judged on."""
        from streamopt.pipeline import Budget

        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return Budget(**given, device=on)


def solve(
    graph_file: a.GraphFile,
    read: Reading,
    within: Within,
    dsp: a.ModelDsp = None,
    level: a.Level = LevelName.OPT5,
    tiling_limit: a.TilingLimit = None,
    without: a.Without = None,
    binding: a.Binding = None,
    banks: a.Banks = None,
    objective: a.Objective = ObjectiveName.LATENCY,
    latency_target: a.LatencyTarget = None,
    solver: a.Solver = "auto",
    formulation: a.Formulation = a.FormulationName.COMPACT,
    profile: a.Profile = None,
    time_limit: a.TimeLimit = None,
    work: a.Work = None,
    seed: a.Seed = 0,
    threads: a.Threads = 1,
    fifo_depths: a.FifoDepths = a.FifoDepthsName.LEAST,
    latency_slack: a.LatencySlack = 0.0,
    port: a.ArrayPort = None,
    steps: Steps = None,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    operators: a.Operators = None,
    output: a.ProjectOutput = None,
    backend: a.Backend = BackendName.VITIS,
    schedule_file: a.ScheduleOutput = None,
    force: a.Force = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Choose loop orders, tiles and channels of the whole graph at once, with a proof."""
    from streamopt import pipeline

    on = a.target(device, clock_ns, operators, is_verilog=backend is BackendName.RTL)
    asked = _source_graph(graph_file, read, steps, listed(port), on)
    to = Output.of(output, schedule_file, stem(graph_file, asked.program), seed, force=force)
    to = replace(to.with_data(asked.program, read.test_inputs), backend=backend)
    with keeping(to) as keep, showing(asked.stage(level), quiet=quiet or as_json) as shown:
        solution = pipeline.solve(
            asked.graph,
            level=level,
            dsp=dsp,
            objective=named_objective(objective, latency_target),
            time_limit=time_limit,
            space=asked.space(tiling_limit, frozenset(listed(without)), binding, banks),
            budget=within.budget(on),
            effort=pipeline.Effort(
                *(solver, formulation, profile),
                work=work,
                seed=seed,
                threads=threads,
                fifos=_sizing(fifo_depths, latency_slack, on, shown),
                on_progress=None if shown is None else shown.search,
                on_incumbent=keep,
            ),
        )
    _finish(asked.graph, solution, on, to, as_json=as_json, quiet=quiet or to.is_stdout)


@dataclass(frozen=True, slots=True)
class _SourceGraph:
    """A program with its graph, its ports, and the decisions that steps have made."""

    program: Program
    graph: Graph
    ports: tuple[PortPlan, ...]
    fixed: Fixed | None = None

    @property
    def name(self) -> str:
        """Return the name of the program."""
        return self.program.name

    def stage(self, level: str) -> str:
        """Return the words of a search, as they are shown while it runs."""
        return f"solving {self.name} at {level}"

    def space(
        self,
        tiling_limit: int | None,
        without: frozenset[str],
        binding: a.BindingChoice | None,
        most_banks: int | None,
    ) -> Space:
        """Return the decisions that are open."""
        from streamopt.pipeline import Space

        return Space(tiling_limit, without, binding, self.ports, self.fixed, most_banks)


def _source_graph(
    graph_file: str, read: Reading, steps: Path | None, port: list[str], on: Target
) -> _SourceGraph:
    from streamopt import pipeline

    if steps is None:
        program = read.load(graph_file, takes_data=True)
        graph, fixed = pipeline.dataflow(program), None
    else:
        steps_taken = pipeline.load_steps(steps)
        found = pipeline.schedule(graph_file, steps_taken, options=read.options()).decided()
        program, graph, fixed = found.program, found.graph, found.fixed
    return _SourceGraph(program, graph, asked_ports(graph, port, on), fixed)


def _sizing(
    depths: a.FifoDepthsName, slack: float, on: Target, shown: Board | None
) -> FifoSizing | None:
    from streamopt.pipeline import FifoSizing

    if depths is a.FifoDepthsName.FULL:
        return None
    return FifoSizing(slack, on, None if shown is None else shown.fifos)


def _finish(
    graph: Graph, solution: Solution, on: Target, to: Output, *, as_json: bool, quiet: bool
) -> None:
    """Write a solution, and show it."""
    from streamopt.cli.printing import print_warnings
    from streamopt.pipeline.flat_records import share_record, warning_records, whole_record
    from streamopt.report.record import Record

    found = solution.evaluation
    assert found is not None  # every answer is judged
    row = whole_record(solution) | Record(final=True)
    to.write(graph, solution.schedule, row, on)
    if to.project is not None and to.incumbents is not None:
        to.incumbents.unlink(missing_ok=True)
    if as_json:
        warned, shares = warning_records(solution.warnings), share_record(found)
        typer.echo(json.dumps({**row, **shares, "warnings": warned}))
    else:
        if not quiet:
            _show(solution, found, row)
        print_warnings(solution.warnings)
        if not quiet:
            typer.echo(to.told(graph.name))
    if solution.stop is Stop.INTERRUPTED:
        interrupted(f": wrote {to.place}, {cost_words(solution)}")


def _show(solution: Solution, found: Evaluation, row: Record) -> None:
    from streamopt.cli.printing import print_tables
    from streamopt.cli.tables import channel_table, node_table, resource_table, summary_table

    print_tables(
        summary_table(solution, row, found),
        node_table(solution.schedule, found),
        channel_table(solution.problem.graph, solution.schedule, found),
        resource_table(found),
    )
