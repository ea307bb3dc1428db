"""``streamopt verify``: compile, run and compare a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a

if TYPE_CHECKING:
    from streamopt.verification.compare import DesignVerdict


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
    frames: Annotated[
        int, typer.Option("--frames", help="Frames of a design in Verilog, one after another.")
    ] = 1,
    allow_edits: Annotated[
        bool, typer.Option("--allow-edits", help="Accept files that differ from the emitted ones.")
    ] = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Compile a project, run it, and compare with the source program."""
    from streamopt import pipeline

    verdict = pipeline.verify(
        project,
        seed=seed,
        traces=traces,
        compiler=compiler,
        allow_edits=allow_edits,
        vcd=vcd,
        frames=frames,
    )
    if as_json:
        typer.echo(json.dumps(_record(verdict)))
    elif not quiet:
        typer.echo(str(verdict))
        typer.echo(verdict.state)
    raise typer.Exit(0 if verdict.passed else 1)


def _record(verdict: DesignVerdict) -> dict[str, object]:
    """Return a verdict as ``--json`` prints it."""
    return {
        "name": verdict.graph,
        "passed": verdict.passed,
        "outputs": [
            {"name": o.name, "max_error": o.max_error, "share": o.max_ratio, "wrong": o.wrong}
            for o in verdict.outputs
        ],
        "first_wrong": verdict.first_wrong and str(verdict.first_wrong),
        "unchecked": verdict.unchecked,
        "edits": [*map(str, verdict.edits)],
        "notes": [*verdict.notes],
        "measured_cycles": verdict.measured_cycles,
        "simulated_cycles": verdict.simulated_cycles,
        "measured_interval_cycles": verdict.measured_interval_cycles,
        "simulated_interval_cycles": verdict.simulated_interval_cycles,
    }
