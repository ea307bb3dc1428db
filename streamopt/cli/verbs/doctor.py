"""``streamopt doctor`` and ``solvers``: what is there, what is missing, and what mends it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.pipeline.health import Check, Group, State

if TYPE_CHECKING:
    from streamopt.solvers.registry import SolverStatus


def doctor(
    everything: Annotated[
        bool, typer.Option("--all", help="Every package and program, with its version.")
    ] = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Check the installation, extras, solvers and tools, and say how to repair them."""
    from dataclasses import asdict

    from streamopt import pipeline

    checks = pipeline.doctor()
    works = not any(check.breaks_core for check in checks)
    if as_json:
        rows = [asdict(check) for check in checks]
        typer.echo(json.dumps({"works": works, "checks": rows}))
    elif not quiet:
        typer.echo(_verdict(checks, works=works))
        for line in () if everything else _lines(checks):
            typer.echo(f"  {line}")
        if everything:
            _show(checks)
        else:
            typer.echo("streamopt doctor --all shows every package and program")
    raise typer.Exit(0 if works else 1)


def _verdict(checks: tuple[Check, ...], *, works: bool) -> str:
    """Return whether the core works, and what it says of itself."""
    if not works:
        broken = [f"  {_problem(check)}" for check in checks if check.breaks_core]
        return "\n".join(["the core is BROKEN", *broken])
    tested = [check.note for check in checks if check.name == "self-test"]
    return f"the core works: {tested[0]}" if tested else "the core works"


def _problem(check: Check) -> str:
    return f"{check.name} is {check.state}: {check.fix or check.note}"


def _lines(checks: tuple[Check, ...]) -> Iterator[str]:
    """Yield one line for each extra, solver and program that a verb needs."""
    by_extra: dict[str, list[Check]] = {}
    for check in checks:
        if check.extra:
            by_extra.setdefault(check.extra, []).append(check)
    for extra, needed in by_extra.items():
        wrong = [check for check in needed if check.state is not State.OK]
        names = f"{', '.join(check.name for check in wrong)} missing or broken"
        yield f"extra {extra}: " + (f"{names}: {wrong[0].fix}" if wrong else "ok")
    for check in checks:
        if check.group is Group.CORE or check.extra or not check.serves_a_verb:
            continue
        good = f"ok {check.version}".rstrip()
        told = good if check.state is State.OK else f"{check.state}: {check.fix}"
        yield f"{check.group} {check.name}: {told}"


def _show(checks: tuple[Check, ...]) -> None:
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
            typer.echo(_problem(check))


def solvers(as_json: a.Json = False, quiet: a.Quiet = False) -> None:
    """List the solvers with version, licence and capabilities."""
    from dataclasses import asdict

    from streamopt import pipeline

    found = pipeline.available_solvers()
    if as_json:
        typer.echo(json.dumps([asdict(status) for status in found], default=sorted))
    elif not quiet:
        _show_solvers(found)


def _show_solvers(found: tuple[SolverStatus, ...]) -> None:
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
