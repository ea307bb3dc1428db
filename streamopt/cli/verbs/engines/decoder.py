"""``streamopt decoder``: hardware of a layer that all layers of a language model share."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.verb import deciding, limiting

if TYPE_CHECKING:
    from rich.table import Table

    from streamopt.pipeline import DecoderSolution

ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="config.json of a language model, or its folder.")
]
Prompt = Annotated[int, deciding("--prompt", metavar="N", help="Tokens that are given.")]
Answers = Annotated[int, deciding("--answers", metavar="N", help="Tokens that follow.")]
Layers = Annotated[
    int | None,
    deciding(
        "--layers", metavar="N", help="Layers of the project, the first ones.  [default: all]"
    ),
]


def decoder(
    model_file: ModelFile,
    prompt: Prompt = 128,
    answers: Answers = 128,
    layers: Layers = None,
    dsp: Annotated[
        int | None, limiting("--dsp", help="DSPs of the engine.  [default: --fit's]")
    ] = None,
    bram18: a.Bram18 = None,
    uram: a.Uram = None,
    lut: a.Lut = None,
    fit: a.Fit = None,
    time_limit: a.TimeLimit = None,
    seed: a.Seed = 0,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    output: a.ProjectOutput = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Choose hardware of a layer that all layers of a language model share."""
    from streamopt import pipeline

    solution = pipeline.decoder(
        model_file,
        prompt=prompt,
        answers=answers,
        dsp=dsp,
        time_limit=time_limit,
        budget=pipeline.Budget(
            bram18=bram18,
            uram=uram,
            lut=lut,
            fit=None if fit is None else fit.value,
            device=pipeline.device(device, clock_ns),
        ),
    )
    if output is not None:
        written = solution if layers is None else solution.reduced(layers=layers)
        written.write(output, seed=seed)
    if as_json:
        typer.echo(json.dumps(decoder_record(solution)))
    elif not quiet:
        from streamopt.cli.printing import print_tables

        print_tables(_summary(solution))
        if output is not None:
            typer.echo(f"wrote {output}")


def decoder_record(solution: DecoderSolution) -> dict[str, object]:
    """Return the figures of an engine for programs."""
    hardware, run = solution.hardware, solution.run
    return {
        "name": solution.model.name,
        "first_token_ms": solution.first_token_ms,
        "tokens_per_second": solution.tokens_per_second,
        "total_ms": solution.total_ms,
        "cycles": solution.cycles,
        "first_cycles": run.first_cycles,
        "bound": solution.bound_cycles,
        "roofline": solution.roofline_cycles,
        "gap": solution.gap,
        "shape": asdict(hardware.table.shape),
        **asdict(solution.resources.total),
        "channels": list(hardware.supply.channels),
        "word_bytes": hardware.table.shape.word_bytes,
        "words": run.words,
        "stall_cycles": run.stall_cycles,
        "solve_seconds": solution.solve_seconds,
    }


def _summary(solution: DecoderSolution) -> Table:
    from rich.table import Table

    from streamopt.report.proof import percent_above

    hardware, run, used = solution.hardware, solution.run, solution.resources.total
    task, rate = solution.task, float(hardware.supply.cycles_per_word)
    shape = hardware.table.shape
    moved = run.words * shape.word_bytes
    given = f"{task.prompt} token{'s' * (task.prompt > 1)}, {task.answers} to follow"
    table = Table(title=f"{solution.model.name} on one engine", show_header=False)
    rows = {
        "task": given,
        "engine": str(shape),
        "first token": f"{solution.first_token_ms:,.3f} ms, {run.first_cycles:,} cycles simulated",
        "further tokens": f"{solution.tokens_per_second:,.0f} a second",
        "all": f"{solution.total_ms:,.3f} ms, {solution.cycles:,} cycles simulated",
        "proved": f"at most {percent_above(solution.gap):.1f} % above the least of all shapes "
        "that fit",
        "products and bytes alone": f"{solution.roofline_cycles:,} cycles",
        "resources": f"{used.dsps:,} DSP, {used.luts:,} LUT, {used.ffs:,} FF, "
        f"{used.bram18:,} BRAM18, {used.uram:,} URAM",
        "words": f"{run.words:,} of {shape.word_bytes:,} bytes, one in {rate:.2f} cycles at most: "
        f"{moved / solution.cycles:,.0f} bytes a cycle",
        "waiting for words": f"{run.stall_cycles:,} cycles",
        "search": f"{solution.simulated} of {solution.shapes} families of shapes simulated",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table
