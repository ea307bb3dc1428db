"""``streamopt design``: a design by the strategy of another system."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.output import Output
from streamopt.cli.reading import Reading, stem
from streamopt.ir.graph import Graph
from streamopt.strategies.rival import RivalName

if TYPE_CHECKING:
    from rich.table import Table

    from streamopt.pipeline.rivals import RivalDesign


def design(
    graph_file: a.GraphFile,
    read: Reading,
    strategy: Annotated[RivalName, typer.Option("--strategy", help="The strategy to follow.")],
    dsp: Annotated[int, typer.Option("--dsp", help="DSP limit as built, all operators.")] = 2560,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    output: a.ProjectOutput = None,
    schedule_file: a.ScheduleOutput = None,
    force: a.Force = False,
    seed: a.Seed = 0,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Decide as HIDA, ScaleHLS, CODO or POM would, for comparison."""
    from streamopt import pipeline

    on, program = pipeline.device(device, clock_ns), read.load(graph_file, takes_data=True)
    to = Output.of(output, schedule_file, stem(graph_file, program), seed, force=force)
    to = to.with_data(program, read.test_inputs)
    graph = pipeline.dataflow(program)
    found = pipeline.design(graph, strategy, dsp=dsp, device=on)
    row = pipeline.design_record(found)
    to.write(graph, found.schedule, row, on)
    if as_json:
        steps = [{"stage": step.stage, "what": step.what} for step in found.answer.steps]
        typer.echo(json.dumps({**row, "steps": steps}))
    elif not quiet and not to.is_stdout:
        _show(graph, found, dsp)
        typer.echo(to.told(program.name))


def _show(graph: Graph, found: RivalDesign, dsp: int) -> None:
    from streamopt.cli.printing import print_tables
    from streamopt.cli.tables import channel_table, node_table, resource_table

    print_tables(
        _summary(graph.name, found, dsp),
        _steps(found),
        node_table(found.schedule, found.evaluation),
        channel_table(graph, found.schedule, found.evaluation),
        resource_table(found.evaluation),
    )


def _summary(name: str, found: RivalDesign, dsp: int) -> Table:
    from rich.table import Table

    answer, used = found.answer, found.evaluation.resources.total
    table = Table(title=f"{name} by {found.strategy}", show_header=False)
    if answer.estimated_cycles is not None:
        table.add_row("estimated", f"{answer.estimated_cycles} cycles (its own model)")
    told = found.evaluation.headline
    table.add_row("simulated", told.times)
    table.add_row(f"of {told.region}", told.shares)
    table.add_row("DSPs", f"{used.dsps} of {dsp} as built")
    table.add_row("time", f"{found.seconds:.2f} s")
    return table


def _steps(found: RivalDesign) -> Table:
    from rich.table import Table

    table = Table(title="what was decided, in order")
    table.add_column("stage")
    table.add_column("decision")
    for step in found.answer.steps:
        table.add_row(step.stage, step.what)
    return table
