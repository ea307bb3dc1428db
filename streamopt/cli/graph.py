"""``streamopt graph``: from a source file to graph.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from streamopt.cli import arguments as a

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph

__all__ = ["graph"]


def graph(
    source: a.SourceFile,
    output: a.GraphOutput = None,
    name: a.ProgramName = None,
    top: a.Top = None,
    define: a.Define = None,
    include: a.Include = None,
    param: a.Param = None,
    live_out: a.LiveOut = None,
    inputs: a.Inputs = "",
    shape: a.Shape = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Read C, PyTorch, MLIR or ONNX, and write the dataflow graph."""
    from streamopt import pipeline
    from streamopt.cli.assignments import integers, macros, shapes

    program = pipeline.load(
        source,
        name=name,
        inputs=inputs,
        top=top,
        defines=macros(define or []),
        include=include or [],
        parameters=integers(param or []),
        outputs=live_out or [],
        shapes=shapes(shape or []),
    )
    found = pipeline.dataflow(program)
    written = pipeline.save(program, output or Path(f"{program.name}.json"))
    files = [str(path) for path in written]
    if as_json:
        typer.echo(json.dumps(_row(found, files)))
    elif not quiet:
        _tell(found, files)


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
            typer.echo(f"  {node.name} is sequential: {node.reason}")
    typer.echo(f"wrote {' and '.join(files)}")
