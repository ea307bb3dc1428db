"""``streamopt solve``: a schedule with a proof, and the HLS project that carries it out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from streamopt.cli import arguments as a
from streamopt.cli.output import Output, cost_words, interrupted, keeping
from streamopt.cli.progress import solving
from streamopt.cli.reading import Reading, asked_ports, listed, stem
from streamopt.cli.verb import deciding
from streamopt.solvers.result import Stop
from streamopt.space.level import LevelName
from streamopt.space.objective import Objective

if TYPE_CHECKING:
    from streamopt.cli.progress import Solving
    from streamopt.ir.program import Program
    from streamopt.pipeline import Evaluation, FifoSizing, Freedom
    from streamopt.pipeline.limiting import AsBuilt
    from streamopt.strategies.solution import Solution
    from streamopt.target.device import Target

__all__ = ["solve"]


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

    def built(self, on: Target) -> AsBuilt:
        """Return the limits, with the target that is judged on."""
        return {
            "built_dsp": self.built_dsp,
            "bram18": self.bram18,
            "uram": self.uram,
            "lut": self.lut,
            "ff": self.ff,
            "fit": self.fit,
            "on": on,
        }


def solve(
    graph_file: a.GraphFile,
    read: Reading,
    within: Within,
    dsp: a.ModelDsp = None,
    level: a.Level = LevelName.OPT5,
    tiling_limit: a.TilingLimit = None,
    without: a.Without = None,
    binding: a.Binding = None,
    objective: a.Objective = Objective.LATENCY,
    latency_target: a.LatencyTarget = None,
    solver: a.Solver = "auto",
    formulation: a.Formulation = a.FormulationName.COMPACT,
    profile: a.Profile = None,
    time_limit: a.TimeLimit = None,
    seed: a.Seed = 0,
    threads: a.Threads = 1,
    fifo_depths: a.FifoDepths = a.FifoDepthsName.LEAST,
    latency_slack: a.LatencySlack = 0.0,
    port: a.ArrayPort = None,
    steps: Steps = None,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    output: a.ProjectOutput = None,
    schedule_file: a.ScheduleOutput = None,
    force: a.Force = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Choose loop orders, tiles and channels of the whole graph at once, with a proof."""
    from streamopt import pipeline

    on = pipeline.device(device, clock_ns)
    asked = _asked(graph_file, read, steps, listed(port), on)
    name = stem(graph_file, asked.program)
    to = Output.of(output, schedule_file, name, seed, force=force)
    to = to.with_data(asked.program, read.test_inputs)
    with keeping(to) as keep, solving(asked.name, level, quiet=quiet or as_json) as shown:
        solution = pipeline.solve(
            **asked.options,
            level=level,
            dsp=dsp,
            **within.built(on),
            tiling_limit=tiling_limit,
            objective=objective,
            latency_target_cycles=latency_target,
            solver=solver,
            formulation=formulation,
            profile=profile,
            time_limit_seconds=time_limit,
            seed=seed,
            threads=threads,
            fifos=_sizing(fifo_depths, latency_slack, on, shown),
            freedom=_freedom(listed(without), binding),
            on_progress=None if shown is None else shown.search,
            on_incumbent=keep,
        )
    _finish(asked.program, solution, on, to, as_json=as_json, quiet=quiet or to.is_stdout)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be solved: a program, and options that it comes with."""

    program: Program
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """Return the name of the program."""
        return self.program.name


def _asked(
    graph_file: str, read: Reading, steps: Path | None, port: list[str], on: Target
) -> _Asked:
    from streamopt import pipeline

    if steps is None:
        program = read.load(graph_file, takes_data=True)
        options: dict[str, Any] = {"graph": pipeline.dataflow(program)}
    else:
        found = pipeline.schedule(
            graph_file, pipeline.load_steps(steps), options=read.options()
        ).decided()
        program, options = found.program, {"graph": found.graph, "fixed": found.fixed}
    return _Asked(program, options | {"ports": asked_ports(program, port, on)})


def _sizing(
    depths: a.FifoDepthsName, slack: float, on: Target, shown: Solving | None
) -> FifoSizing | None:
    from streamopt.pipeline import FifoSizing

    if depths is a.FifoDepthsName.FULL:
        return None
    return FifoSizing(slack, on, None if shown is None else shown.fifos)


def _freedom(without: list[str], binding: a.BindingChoice | None) -> Freedom | None:
    from streamopt.pipeline import Freedom

    if not without and binding is None:
        return None
    return Freedom(frozenset(without), binding or a.BindingChoice.FREE)


def _finish(
    program: Program, solution: Solution, on: Target, to: Output, *, as_json: bool, quiet: bool
) -> None:
    """Write a solution, and show it."""
    from streamopt import pipeline
    from streamopt.cli.printing import print_warnings

    found = pipeline.evaluate(solution.request.graph, solution.schedule, on)
    row = {
        **pipeline.record(solution),
        **pipeline.evaluation_record(found),
        **pipeline.choice_record(solution),
        "final": True,
    }
    to.write(program, solution.schedule, row, on)
    if to.project is not None and to.incumbents is not None:
        to.incumbents.unlink(missing_ok=True)
    if as_json:
        typer.echo(json.dumps({**row, "warnings": pipeline.warning_records(solution)}))
    else:
        if not quiet:
            _show(solution, found, row)
        print_warnings(solution.warnings)
        if not quiet:
            typer.echo(to.told(program.name))
    if solution.stop is Stop.INTERRUPTED:
        interrupted(f": wrote {to.place}, {cost_words(solution)}")


def _show(solution: Solution, found: Evaluation, row: dict[str, str | int | float]) -> None:
    from streamopt.cli.printing import print_tables
    from streamopt.cli.tables import channel_table, node_table, resource_table, summary_table

    print_tables(
        summary_table(solution, row, found),
        node_table(solution.schedule, found),
        channel_table(solution.request.graph, solution.schedule, found),
        resource_table(found),
    )
