"""``streamopt engine``: multipliers that all layers of a network share, and their HLS project."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from streamopt.cli import arguments as a
from streamopt.cli.reading import Reading
from streamopt.cli.verb import deciding, limiting
from streamopt.cli.verbs.engines.telling import (
    EngineDsps,
    proof_told,
    resources_told,
    summary,
    tell,
)

if TYPE_CHECKING:
    from rich.table import Table

    from streamopt.pipeline import EngineSolution

Packed = Annotated[
    bool, deciding("--packed", help="Two products of 8 bits in a DSP.  [default: one]")
]
LutProducts = Annotated[
    int, limiting("--lut-products", metavar="N", help="Multipliers built from LUTs, at most.")
]
Channels = Annotated[
    int | None,
    limiting("--channels", metavar="N", help="Memory channels of weights, at most."),
]


def engine(
    graph_file: a.GraphFile,
    read: Reading,
    dsp: EngineDsps = None,
    packed: Packed = False,
    lut_products: LutProducts = 0,
    channels: Channels = None,
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
    """Choose multipliers that all layers of a network share, one layer after the other."""
    from streamopt import pipeline

    on = pipeline.device(device, clock_ns)
    program = read.load(graph_file, takes_data=True)
    solution = pipeline.engine(
        program,
        dsp=dsp,
        packed=packed,
        lut_products=lut_products,
        channels=channels,
        time_limit=time_limit,
        budget=pipeline.Budget(
            bram18=bram18, uram=uram, lut=lut, fit=None if fit is None else fit.value, device=on
        ),
    )
    if output is not None:
        solution.write(output, seed=seed, inputs=read.test_inputs)
    tell(
        lambda: engine_record(solution),
        lambda: [_summary(solution), _layers(solution)],
        output,
        as_json=as_json,
        quiet=quiet,
    )


def engine_record(solution: EngineSolution) -> dict[str, object]:
    """Return the figures of an engine for programs."""
    evaluation = solution.evaluation
    hardware, table = evaluation.hardware, evaluation.hardware.table
    return {
        "name": solution.graph.name,
        "cycles": solution.cycles,
        "bound": solution.bound_cycles,
        "roofline": solution.roofline_cycles,
        "gap": solution.gap,
        "shape": asdict(table.shape),
        **asdict(evaluation.resources.total),
        "weight_bytes": table.words * table.word_bytes,
        "channels": list(hardware.supply.channels),
        "stall_cycles": evaluation.run.stall_cycles,
        "solve_seconds": solution.solve_seconds,
        "layers": [asdict(one) for one in evaluation.run.passes],
    }


def _summary(solution: EngineSolution) -> Table:
    evaluation = solution.evaluation
    hardware, used = evaluation.hardware, evaluation.resources.total
    channels = len(hardware.supply.channels)
    rows = {
        "engine": str(hardware.table.shape),
        "simulated cycles": f"{solution.cycles:,}",
        "proved": proof_told(solution.gap),
        "multiplications alone": f"{solution.roofline_cycles:,} cycles",
        "resources": resources_told(used),
        "weights": f"{hardware.table.words * hardware.table.word_bytes:,} bytes a frame over "
        f"{channels} channel{'s' * (channels > 1)}",
        "waiting for weights": f"{evaluation.run.stall_cycles:,} cycles",
        "search": f"{solution.simulated} of {solution.shapes} shapes simulated",
    }
    return summary(solution.graph.name, rows)


def _layers(solution: EngineSolution) -> Table:
    from rich.table import Table

    table = Table(title="layers")
    table.add_column("layer")
    for name in ("from", "to", "products a cycle", "waits"):
        table.add_column(name, justify="right")
    runs = solution.evaluation.run.passes
    for layer, run in zip(solution.layers.layers, runs, strict=True):
        took = run.end_cycles - run.start_cycles
        rate = f"{layer.products / took:,.1f}"
        cells = (f"{run.start_cycles:,}", f"{run.end_cycles:,}", rate, f"{run.stall_cycles:,}")
        table.add_row(layer.name, *cells)
    return table
