"""The entry point ``streamopt``: verbs, errors and exit codes."""

from __future__ import annotations

import os
import sys
import traceback

import typer

from streamopt import __version__
from streamopt.cli import EXIT_BUG, EXIT_CODES, EXIT_ERROR
from streamopt.cli.output import let_sigterm_interrupt
from streamopt.cli.verb import Verb, expanded, say
from streamopt.cli.verbs.check import check
from streamopt.cli.verbs.compare import compare
from streamopt.cli.verbs.design import design
from streamopt.cli.verbs.doctor import doctor, solvers
from streamopt.cli.verbs.emit import emit
from streamopt.cli.verbs.engines.decoder import decoder
from streamopt.cli.verbs.engines.engine import engine
from streamopt.cli.verbs.explain import explain
from streamopt.cli.verbs.graph import graph
from streamopt.cli.verbs.pareto import pareto
from streamopt.cli.verbs.report import report
from streamopt.cli.verbs.run import run
from streamopt.cli.verbs.simulate import simulate
from streamopt.cli.verbs.solve import solve
from streamopt.cli.verbs.sweep import sweep
from streamopt.cli.verbs.synth import synth
from streamopt.cli.verbs.verify import verify
from streamopt.errors import Diagnostic, StreamoptError

EXAMPLES = {
    "run": """\
streamopt run kernel.c
streamopt run net.py:Net --inputs 1x3x32x32 --time-limit 120
streamopt run kernel.c --dsp 512 -o build/small --from solve""",
    "graph": """\
streamopt graph kernel.c --top gemm --param n=64
streamopt graph net.py:Net --inputs 1x3x32x32 -o net.json
streamopt graph model.onnx --shape x=1x3x224x224""",
    "solve": """\
streamopt solve kernel.c --dsp 2560 -o build/kernel
streamopt solve kernel.c --level opt6 --fit slr --time-limit 60
streamopt solve graph.json --objective dsps --latency-target 100000""",
    "engine": """\
streamopt engine net.py:Net --inputs 1x3x32x32:int8 --dsp 468
streamopt engine graph.json --dsp 220 --packed -o build/net""",
    "decoder": """\
streamopt decoder gpt2-medium --prompt 128 --answers 128
streamopt decoder llama/config.json --dsp 2000 --layers 1 -o build/llama""",
    "pareto": """\
streamopt pareto graph.json --csv front.csv --plot front.svg
streamopt pareto graph.json --schedules points --time-limit 60""",
    "design": """\
streamopt design graph.json --strategy hida -o build/by_hida""",
    "compare": """\
streamopt compare graph.json --levels opt1,opt5,opt6
streamopt compare kernel.c --strategies all --dsp 1280,2560 --csv rows.csv
streamopt compare graph.json --levels opt5 --solver search,highs --format markdown""",
    "sweep": """\
streamopt sweep experiment.toml --jobs 2
streamopt sweep experiment.toml --redo failed,stale --only gemm""",
    "simulate": """\
streamopt simulate graph.json --schedule graph.schedule.json --frames 3
streamopt simulate kernel.c --schedule kernel.schedule.json --gantt run.svg""",
    "report": """\
streamopt report build/kernel
streamopt report graph.json --schedule graph.schedule.json --figures figures
streamopt report rows.csv""",
    "emit": """\
streamopt emit kernel.c --schedule kernel.schedule.json -o build/kernel
streamopt emit graph.json --schedule graph.schedule.json --backend tapa -o build/tapa""",
    "verify": """\
streamopt verify build/kernel
streamopt verify build/kernel --seed 7 --traces""",
    "check": """\
streamopt check build/kernel
streamopt check build/kernel --report build/kernel/kernel_project/solution/syn/report""",
    "synth": """\
streamopt synth build/rtl
streamopt synth build/rtl --family ecp5 --json
streamopt synth build/rtl --board ulx3s""",
    "explain": """\
streamopt explain build/kernel
streamopt explain kernel.c --schedule kernel.schedule.json --quick
streamopt explain E401""",
}

app = typer.Typer(
    name="streamopt",
    help="Turn affine programs into streaming FPGA accelerators, with a proof.",
    epilog=f"Exit codes: {', '.join(f'{code} {told}' for code, told in EXIT_CODES.items())}.",
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
        False, "--verbose", "-v", callback=say, help="Log every step with its time on stderr."
    ),
) -> None:
    """Turn affine programs into streaming FPGA accelerators, with a proof."""


for verb in (
    run,
    graph,
    solve,
    engine,
    decoder,
    pareto,
    design,
    compare,
    sweep,
    simulate,
    report,
    emit,
    verify,
    check,
    synth,
    solvers,
    doctor,
    explain,
):
    app.command(cls=Verb, epilog=EXAMPLES.get(verb.__name__))(expanded(verb))


def main() -> None:
    """Run the command line; errors go to stderr in plain text."""
    let_sigterm_interrupt()
    try:
        app()
    except StreamoptError as error:
        for diagnostic in error.diagnostics:
            _tell(diagnostic)
        sys.exit(EXIT_ERROR)
    except MemoryError:
        hint = "choose smaller extents, or let the process have more"
        _tell(Diagnostic("E120", "there is not enough memory for this", hint=hint))
        sys.exit(EXIT_ERROR)
    except Exception as error:  # the last resort: a bug, told as one
        if os.environ.get("STREAMOPT_DEBUG"):
            traceback.print_exc()
        hint = "report it with the output of STREAMOPT_DEBUG=1"
        _tell(Diagnostic("E900", f"this is a bug of streamopt: {error!r}", hint=hint))
        sys.exit(EXIT_BUG)


def _tell(problem: Diagnostic) -> None:
    typer.echo(f"error: {problem}", err=True)
