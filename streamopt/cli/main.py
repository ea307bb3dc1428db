"""The entry point ``streamopt``: verbs, errors and exit codes."""

from __future__ import annotations

import os
import sys
import traceback

import typer

from streamopt import __version__
from streamopt.cli.compare import compare
from streamopt.cli.design import design
from streamopt.cli.doctor import doctor
from streamopt.cli.emit import emit
from streamopt.cli.examples import EXAMPLES
from streamopt.cli.graph import graph
from streamopt.cli.interruption import let_sigterm_interrupt
from streamopt.cli.pareto import pareto
from streamopt.cli.report import report
from streamopt.cli.simulate import simulate
from streamopt.cli.solve import solve
from streamopt.cli.solvers import solvers
from streamopt.cli.sweep import sweep
from streamopt.cli.verb import Verb, expanded, say
from streamopt.cli.verify import verify
from streamopt.errors import StreamoptError

__all__ = ["app", "main"]

EXIT_ERROR = 2
EXIT_BUG = 70

app = typer.Typer(
    name="streamopt",
    help="Turn affine programs into streaming FPGA accelerators, with a proof.",
    epilog="Exit codes: 0 done, 1 a check failed (verify, doctor), 2 bad input or no answer, "
    "70 a bug of streamopt, 130 interrupted.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"streamopt {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
    verbose: bool = typer.Option(
        False, "--verbose", "-v", callback=say, help="Say on stderr what is done, and when."
    ),
) -> None:
    """Turn affine programs into streaming FPGA accelerators, with a proof."""


for verb in (
    graph,
    solve,
    pareto,
    design,
    compare,
    sweep,
    simulate,
    report,
    emit,
    verify,
    solvers,
    doctor,
):
    app.command(cls=Verb, epilog=EXAMPLES.get(verb.__name__))(expanded(verb))


def main() -> None:
    """Run the command line; errors go to stderr in plain text."""
    let_sigterm_interrupt()
    try:
        app()
    except StreamoptError as error:
        for diagnostic in error.diagnostics:
            typer.echo(f"error: {diagnostic}", err=True)
        sys.exit(EXIT_ERROR)
    except MemoryError:
        typer.echo("error: E120 there is not enough memory for this", err=True)
        typer.echo("  hint: choose smaller extents, or let the process have more", err=True)
        sys.exit(EXIT_ERROR)
    except Exception as error:  # the last resort: a bug, told as one
        if os.environ.get("STREAMOPT_DEBUG"):
            traceback.print_exc()
        typer.echo(f"error: E900 this is a bug of streamopt: {error!r}", err=True)
        typer.echo("  hint: report it with the output of STREAMOPT_DEBUG=1", err=True)
        sys.exit(EXIT_BUG)
