"""``streamopt emit``: the project of a schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.codegen.backend_name import BackendName

__all__ = ["emit"]


def emit(
    graph_file: a.GraphFile,
    schedule_file: Annotated[
        Path, typer.Option("--schedule", metavar="SCHEDULE.json", help="From streamopt solve.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The project.")],
    backend: Annotated[
        BackendName, typer.Option("--backend", help="What the project is for.")
    ] = BackendName.VITIS,
    seed: a.Seed = 0,
) -> None:
    """Write streamed C++ with a self-checking testbench."""
    from streamopt import pipeline

    program = pipeline.load(graph_file)
    schedule = pipeline.load_schedule(schedule_file)
    design = pipeline.write(program, schedule, output, seed=seed, backend=backend)
    typer.echo(f"wrote {output}: {', '.join(path for path, _ in design.files)}")
