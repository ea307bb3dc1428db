"""``streamopt explain``: a design in five sentences, or the meaning of a code."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.completion import codes
from streamopt.cli.reading import Reading, design_places

if TYPE_CHECKING:
    from streamopt.explanation.explanation import Explanation


def explain(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A project; graph.json or a source, with --schedule; or a code: E401.",
            autocompletion=codes,
        ),
    ],
    read: Reading,
    schedule_file: a.ScheduleFile = None,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    work: Annotated[
        float,
        typer.Option(
            "--work", help="Most work of each problem that is solved again: about a second."
        ),
    ] = 8.0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Solve nothing again: tell what is known already.")
    ] = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Explain a design: what bounds it, what more would buy, what to change; or explain a code."""
    if schedule_file is None and not Path(source).exists() and not set(source) & {*"/."}:
        _explain_code(source, as_json=as_json, quiet=quiet)
        return
    from streamopt import pipeline
    from streamopt.cli.printing import print_warnings

    graph_file, planned = design_places(source, schedule_file)
    schedule, facts = pipeline.load_schedule(planned), pipeline.load_result(planned)
    found = pipeline.explain(
        read.load(graph_file),
        schedule,
        pipeline.device(device, clock_ns),
        result=facts,
        work=work,
        quick=quick,
    )
    if as_json:
        from streamopt.pipeline.flat_records import warning_records

        warned = warning_records(found.warnings)
        typer.echo(json.dumps({**found.record(), "warnings": warned}))
    else:
        if not quiet:
            _show(found)
        print_warnings(found.warnings)


def _show(found: Explanation) -> None:
    """Print the sentences, each wrapped under its number where the terminal is narrow."""
    from shutil import get_terminal_size
    from textwrap import fill

    width = max(60, get_terminal_size((100, 24)).columns)
    for at, words in enumerate(found.sentences, 1):
        told = fill(words, width, initial_indent=f"{at}. ", subsequent_indent="   ")
        typer.echo(told)


def _explain_code(code: str, *, as_json: bool, quiet: bool) -> None:
    from streamopt.cli.error_codes import explained

    found = explained(code)
    if as_json:
        typer.echo(json.dumps(asdict(found)))
    elif not quiet:
        typer.echo(f"{found.code} ({found.family}): {found.meaning}")
        for title, texts in (
            ("messages", found.messages),
            ("what to change", found.hints),
            ("where it is raised", found.places),
        ):
            if texts:
                typer.echo("\n".join([f"{title}:", *(f"  {text}" for text in texts)]))
