"""``streamopt doctor``: what is there, what is missing, and what mends it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from streamopt.cli import arguments as a

if TYPE_CHECKING:
    from streamopt.pipeline.health.check import Check

__all__ = ["doctor"]


def doctor(as_json: a.Json = False, quiet: a.Quiet = False) -> None:
    """Tell what is installed, licensed, missing or broken, and how to mend it."""
    from dataclasses import asdict

    from streamopt import pipeline

    checks = pipeline.doctor()
    works = not any(check.breaks_core for check in checks)
    if as_json:
        rows = [asdict(check) for check in checks]
        typer.echo(json.dumps({"works": works, "checks": rows}))
    elif not quiet:
        _show(checks, works=works)
    raise typer.Exit(0 if works else 1)


def _show(checks: tuple[Check, ...], *, works: bool) -> None:
    from rich.table import Table

    from streamopt.cli.printing import print_tables

    table = Table(title="what streamopt finds")
    for name in ("", "what", "", "version", "note"):
        table.add_column(name, overflow="fold")
    groups: set[str] = set()
    for check in checks:
        group = "" if check.group in groups else check.group.value
        groups.add(check.group)
        table.add_row(group, check.name, check.state.value, check.version, check.note)
    print_tables(table)
    for check in checks:
        if check.fix:
            typer.echo(f"{check.name} is {check.state}: {check.fix}")
    typer.echo("the core works" if works else "the core is BROKEN")
