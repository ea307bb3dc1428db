"""``streamopt run``: from a source to a verified design with its report, step by step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.output import STDOUT, interrupted
from streamopt.cli.progress import showing
from streamopt.cli.reading import Reading, asked_interface, listed
from streamopt.cli.verb import searching, writing
from streamopt.cli.verbs.solve import Within
from streamopt.errors import Diagnostic, OutputError
from streamopt.running.steps import Step
from streamopt.space.level import LevelName

if TYPE_CHECKING:
    from streamopt.running.outcome import RunOutcome

FAILED = 1

RunFolder = Annotated[
    Path | None,
    writing("-o", "--output", metavar="DIR", help="The folder of all.  [default: build/<name>]"),
]
From = Annotated[
    Step | None,
    searching(
        "--from",
        help="Do this step and those after it anew; write and later ones take what an "
        "interrupted search has kept.",
    ),
]
Compiler = Annotated[
    str, writing("--compiler", metavar="CXX", help="Another C++17 compiler to verify with.")
]


def run(
    source: a.SourceFile,
    read: Reading,
    within: Within,
    dsp: a.ModelDsp = None,
    level: a.Level = LevelName.OPT6,
    port: a.ArrayPort = None,
    solver: a.Solver = "auto",
    time_limit: a.TimeLimit = None,
    work: a.Work = None,
    seed: a.Seed = 0,
    threads: a.Threads = 1,
    first: From = None,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    output: RunFolder = None,
    compiler: Compiler = "g++",
    force: a.Force = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Do all: read a source, find its fastest design, write, verify and report it."""
    from streamopt import pipeline
    from streamopt.running.outcome import RunInterruptedError
    from streamopt.running.request import RunOptions
    from streamopt.running.run import run
    from streamopt.running.steps import Silence

    _check_folder(output)
    interface, ports = asked_interface(listed(port))
    try:
        with showing(*Step, quiet=quiet or as_json) as shown:
            options = RunOptions(
                source=read.options(),
                name=read.name,
                interface=interface,
                ports=ports,
                inputs=read.test_inputs,
                compiler=compiler,
                first=first or "",
                force=force,
                listener=shown or Silence(),
            )
            found = run(
                source,
                output,
                level=level,
                dsp=dsp,
                time_limit=time_limit,
                budget=within.budget(pipeline.device(device, clock_ns)),
                effort=pipeline.Effort(solver=solver, seed=seed, threads=threads, work=work),
                options=options,
            )
    except RunInterruptedError as stopped:
        interrupted(f": {stopped.words}\n  hint: {stopped.hint}")
    _tell(found, as_json=as_json, quiet=quiet)


def _check_folder(output: Path | None) -> None:
    if output == STDOUT:
        message, hint = "a run is a folder of files", "give one with -o DIR"
        raise OutputError(Diagnostic("E547", message, None, hint))


def _tell(found: RunOutcome, *, as_json: bool, quiet: bool) -> None:
    """Show the verdict; the exit code is 1 where a step failed."""
    from streamopt.cli.printing import print_warnings

    for problem in found.problems:
        typer.echo(f"error: {problem}", err=True)
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    elif not quiet:
        print_warnings(found.warnings)
        typer.echo(str(found))
    if not found.is_whole:
        raise typer.Exit(FAILED)
