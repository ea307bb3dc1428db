"""``streamopt solvers``: what is installed and licensed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from streamopt.cli import arguments as a

if TYPE_CHECKING:
    from streamopt.solvers.registry import SolverStatus

__all__ = ["solvers"]


def solvers(as_json: a.Json = False, quiet: a.Quiet = False) -> None:
    """List the solvers with version, licence and capabilities."""
    from dataclasses import asdict

    from streamopt import pipeline

    found = pipeline.solvers()
    if as_json:
        typer.echo(json.dumps([asdict(status) for status in found], default=sorted))
    elif not quiet:
        _show(found)


def _show(found: tuple[SolverStatus, ...]) -> None:
    from rich.table import Table

    from streamopt.cli.printing import print_tables

    table = Table(title="solvers")
    for name in ("solver", "version", "licence", "can do"):
        table.add_column(name)
    for status in found:
        version = status.version if status.installed else "not installed"
        able = ", ".join(sorted(status.capabilities))
        table.add_row(status.name, str(version), str(status.licence), able)
    print_tables(table)
