"""``streamopt decoder``: hardware of a layer that all layers of a language model share."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.verb import deciding
from streamopt.cli.verbs.engines.telling import (
    EngineDsps,
    proof_told,
    resources_told,
    summary,
    tell,
)

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
    dsp: EngineDsps = None,
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
    tell(
        lambda: decoder_record(solution),
        lambda: [_summary(solution)],
        output,
        as_json=as_json,
        quiet=quiet,
    )


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
    hardware, run, used = solution.hardware, solution.run, solution.resources.total
    task, rate = solution.task, float(hardware.supply.cycles_per_word)
    shape = hardware.table.shape
    moved = run.words * shape.word_bytes
    given = f"{task.prompt} token{'s' * (task.prompt > 1)}, {task.answers} to follow"
    rows = {
        "task": given,
        "engine": str(shape),
        "first token": f"{solution.first_token_ms:,.3f} ms, {run.first_cycles:,} cycles simulated",
        "further tokens": f"{solution.tokens_per_second:,.0f} a second",
        "all": f"{solution.total_ms:,.3f} ms, {solution.cycles:,} cycles simulated",
        "proved": proof_told(solution.gap),
        "products and bytes alone": f"{solution.roofline_cycles:,} cycles",
        "resources": resources_told(used),
        "words": f"{run.words:,} of {shape.word_bytes:,} bytes, one in {rate:.2f} cycles at most: "
        f"{moved / solution.cycles:,.0f} bytes a cycle",
        "waiting for words": f"{run.stall_cycles:,} cycles",
        "search": f"{solution.simulated} of {solution.shapes} families of shapes simulated",
    }
    return summary(solution.model.name, rows)
