"""``streamopt graph``: from a source file to graph.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from streamopt.cli import arguments as a
from streamopt.cli.output import STDOUT, is_special, put, settled
from streamopt.cli.reading import Reading, stem
from streamopt.errors import Diagnostic, OutputError, SourceLoc
from streamopt.ir.program import Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import Graph
    from streamopt.pipeline import Quantized


def graph(
    source: a.SourceFile,
    read: Reading,
    quantize: a.Quantize = None,
    output: a.GraphOutput = None,
    force: a.Force = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Read C, PyTorch, MLIR or ONNX, and write the dataflow graph."""
    from streamopt import pipeline

    program = read.load(source)
    made = None if quantize is None else pipeline.quantize(program, quantize)
    program = program if made is None else made.program
    to = settled(output, f"{stem(source, program)}.json", force=force)
    found = pipeline.dataflow(program)
    files = [str(path) for path in _written(program, to, source)]
    if to == STDOUT:
        return
    if as_json:
        typer.echo(json.dumps(_row(found, files) | _accuracy(made)))
    elif not quiet:
        _tell(found, files)
        for line in _told(made):
            typer.echo(line)


def _written(program: Program, to: Path, source: str) -> tuple[Path, ...]:
    """Write a graph, and its weights beside it; return the files."""
    from streamopt import pipeline
    from streamopt.formats.graph_json import write_graph_json

    if is_special(to):
        if to == STDOUT and program.values:
            message, hint = "weights go to a file beside the graph", "give -o GRAPH.json"
            raise OutputError(Diagnostic("E547", message, None, hint))
        put(to, write_graph_json(program).encode())
        return (to,)
    if to.exists() and Path(source).exists() and to.samefile(source):
        message, hint = "the graph would replace its own source", "give another name with -o"
        raise OutputError(Diagnostic("E546", message, SourceLoc(source), hint))
    return pipeline.save(program, to)


def _row(found: Graph, files: list[str]) -> dict[str, object]:
    from streamopt.ir.graph import SequentialNode

    sequential = {n.name: n.reason for n in found.nodes if isinstance(n, SequentialNode)}
    return {
        "name": found.name,
        "nodes": len(found.nodes),
        "channels": len(found.edges),
        "sequential": sequential,
        "files": files,
    }


def _accuracy(made: Quantized | None) -> dict[str, object]:
    if made is None:
        return {}
    return {
        "quantized_products": made.products,
        "signal_to_noise_db": dict(made.signal_to_noise_db),
        "largest_errors": dict(made.largest_errors),
    }


def _told(made: Quantized | None) -> Iterator[str]:
    """Yield how far quantized results are from those in floating point, on the sample."""
    if made is None:
        return
    plural = "" if made.products == 1 else "s"
    yield f"{made.products} product{plural} in integers; on the sample, against floating point:"
    for name, noise in made.signal_to_noise_db.items():
        yield f"  {name}: {noise:.1f} dB, largest error {made.largest_errors[name]:.3g}"


def _tell(found: Graph, files: list[str]) -> None:
    from streamopt.ir.graph import SequentialNode

    roles = [array.role.value for array in found.arrays]
    counts = ", ".join(
        f"{roles.count(role)} {role}{'' if roles.count(role) == 1 else 's'}"
        for role in ("input", "weight", "output")
        if role in roles
    )
    typer.echo(f"{found.name}: {len(found.nodes)} nodes, {len(found.edges)} channels; {counts}")
    for node in found.nodes:
        if isinstance(node, SequentialNode):
            place = "" if node.loc is None else f"{node.loc}: "
            typer.echo(f"  {place}{node.name} is sequential: {node.reason}")
    typer.echo(f"wrote {' and '.join(files)}")
