"""``streamopt emit``: the project of a schedule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from streamopt.cli import arguments as a
from streamopt.cli.completion import among
from streamopt.cli.output import STDOUT, is_special
from streamopt.cli.reading import Reading, asked_ports, listed
from streamopt.codegen.backends.vitis_project import DEFAULT_RELEASE, vitis_releases
from streamopt.codegen.design import BackendName
from streamopt.errors import Diagnostic, OutputError


def emit(
    graph_file: a.GraphFile,
    read: Reading,
    schedule_file: Annotated[
        Path,
        typer.Option(
            "--schedule", metavar="SCHEDULE.json", help="A schedule from `streamopt solve`."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="The project.")],
    backend: Annotated[
        BackendName, typer.Option("--backend", help="The tool that the project is for.")
    ] = BackendName.VITIS,
    release: Annotated[
        str,
        typer.Option(
            "--vitis",
            metavar="RELEASE",
            help="2022.1 to 2025.2.",
            autocompletion=among(vitis_releases),
        ),
    ] = DEFAULT_RELEASE,
    port: a.ArrayPort = None,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    seed: a.Seed = 0,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Write streamed C++ with a self-checking testbench."""
    from streamopt import pipeline
    from streamopt.pipeline.evaluating import expected_intervals

    if output == STDOUT:
        message, hint = "a project is a folder of files", "give one with -o DIR"
        raise OutputError(Diagnostic("E547", message, None, hint))
    graph = pipeline.dataflow(read.load(graph_file, takes_data=True))
    schedule = pipeline.load_schedule(schedule_file)
    on = pipeline.device(device, clock_ns)
    ports = asked_ports(graph, listed(port), on)
    if ports:
        schedule = pipeline.put_outside(graph, schedule, ports, pipeline.FifoSizing(on=on))
    is_vitis = backend is BackendName.VITIS
    expected = expected_intervals(graph, schedule, on) if is_vitis else None
    settings = pipeline.VitisSettings(release, on.part, on.clock_ns, expected)
    settled: dict[str, Any] = {"backend": backend, "settings": settings}
    if is_special(output):
        design = pipeline.emit(graph, schedule, **settled)
    else:
        data = read.test_inputs
        design = pipeline.write(graph, schedule, output, seed=seed, inputs=data, **settled)
    files, findings = [path for path, _ in design.files], [str(f) for f in design.findings]
    if as_json:
        row = {"name": schedule.graph, "directory": str(output), "files": files}
        typer.echo(json.dumps({**row, "findings": findings}))
    elif not quiet:
        typer.echo(f"wrote {output}: {', '.join(files)}")
        for found in findings:
            typer.echo(found)
