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
    from streamopt.ir.graph import Graph


def graph(
    source: a.SourceFile,
    read: Reading,
    output: a.GraphOutput = None,
    force: a.Force = False,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Read C, PyTorch, MLIR or ONNX, and write the dataflow graph."""
    from streamopt import pipeline

    program = read.load(source)
    to = settled(output, f"{stem(source, program)}.json", force=force)
    found = pipeline.dataflow(program)
    files = [str(path) for path in _written(program, to, source)]
    if to == STDOUT:
        return
    if as_json:
        typer.echo(json.dumps(_row(found, files)))
    elif not quiet:
        _tell(found, files)


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
