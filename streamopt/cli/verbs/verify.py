"""``streamopt verify``: compile, run and compare a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from streamopt.cli import arguments as a


def verify(
    project: Annotated[
        Path, typer.Argument(metavar="DIR", help="A project from `streamopt solve -o`.")
    ],
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of other test inputs than the project's.")
    ] = None,
    traces: Annotated[
        bool,
        typer.Option("--traces", help="Compare the tokens of every channel, not only outputs."),
    ] = False,
    compiler: Annotated[
        str, typer.Option("--compiler", metavar="CXX", help="Another C++17 compiler: clang++.")
    ] = "g++",
    vcd: Annotated[
        Path | None,
        typer.Option("--vcd", metavar="FILE", help="Write all signals of a design in Verilog."),
    ] = None,
    allow_edits: Annotated[
        bool, typer.Option("--allow-edits", help="Accept files that differ from the emitted ones.")
    ] = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Compile a project, run it, and compare with the source program."""
    from streamopt import pipeline

    verdict = pipeline.verify(
        project, seed=seed, traces=traces, compiler=compiler, allow_edits=allow_edits, vcd=vcd
    )
    if as_json:
        outputs = [
            {"name": o.name, "max_error": o.max_error, "share": o.max_ratio, "wrong": o.wrong}
            for o in verdict.outputs
        ]
        typer.echo(
            json.dumps(
                {
                    "name": verdict.graph,
                    "passed": verdict.passed,
                    "outputs": outputs,
                    "first_wrong": verdict.first_wrong and str(verdict.first_wrong),
                    "unchecked": verdict.unchecked,
                    "edits": [*map(str, verdict.edits)],
                    "notes": [*verdict.notes],
                    "measured_cycles": verdict.measured_cycles,
                    "simulated_cycles": verdict.simulated_cycles,
                }
            )
        )
    elif not quiet:
        typer.echo(str(verdict))
        typer.echo(verdict.state)
    raise typer.Exit(0 if verdict.passed else 1)
