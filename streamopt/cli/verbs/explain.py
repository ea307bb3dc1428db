"""``streamopt explain``: the meaning of an error or warning code, and what to change."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.completion import codes


def explain(
    code: Annotated[
        str,
        typer.Argument(metavar="CODE", help="Of an error or warning: E401.", autocompletion=codes),
    ],
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Explain an error or warning code: its meaning, its messages, and what to change."""
    from dataclasses import asdict

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
