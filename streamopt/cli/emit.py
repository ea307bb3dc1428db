"""``streamopt emit``: the HLS project of a schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from streamopt.cli import arguments as a

__all__ = ["emit"]


def emit(
    graph_file: a.GraphFile,
    schedule_file: Annotated[
        Path, typer.Option("--schedule", metavar="SCHEDULE.json", help="From streamopt solve.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The project.")],
    seed: a.Seed = 0,
) -> None:
    """Write streamed Vitis HLS C++ with a self-checking testbench."""
    from streamopt import pipeline

    program = pipeline.load(graph_file)
    design = pipeline.write(program, pipeline.load_schedule(schedule_file), output, seed=seed)
    typer.echo(f"wrote {output}: {', '.join(path for path, _ in design.files)}")
