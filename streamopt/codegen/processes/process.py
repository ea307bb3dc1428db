"""The functions of the processes: the same text in every back end but for their parameters."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TypeAlias

from streamopt.codegen.design import schedule_sha256, streamopt_version
from streamopt.codegen.expressions import FUNCTION_NAMES
from streamopt.codegen.layout import CppPort, CppProcess, DesignLayout
from streamopt.codegen.names import Names
from streamopt.codegen.operators import OperatorFunctions
from streamopt.codegen.processes.mover import MoverWriter, is_mover
from streamopt.codegen.processes.nest import NestWriter
from streamopt.codegen.processes.tables import table_definition
from streamopt.codegen.stepped.writer import SteppedWriter
from streamopt.codegen.tree import Comment, CppFunction, CppStatement, Directive, Item, render
from streamopt.ir.graph import Node, SequentialNode
from streamopt.ir.scheduled import ScheduledGraph

Declared: TypeAlias = Callable[[CppPort, bool], tuple[str, ...]]

STANDARD_HEADERS = ("algorithm", "cmath", "cstdint", "cstdlib", "limits")
"""The parts of C++ that functions of processes may need."""


def provenance(scheduled: ScheduledGraph) -> list[Item]:
    """Return the comments that every emitted file begins with."""
    return [
        Comment(f"Graph '{scheduled.graph.name}', emitted by streamopt {streamopt_version()}."),
        Comment(f"Schedule sha256 {schedule_sha256(scheduled.schedule)}."),
    ]


def header_items(top: str, included: Iterable[Item], function: CppFunction) -> Iterator[Item]:
    """Yield the header of a top function: what it includes, and its declaration."""
    guard = f"STREAMOPT_{top.upper()}_H"
    yield from (Directive(f"#ifndef {guard}"), Directive(f"#define {guard}"), CppStatement(""))
    yield from (*included, function, CppStatement(""), Directive("#endif"))


def parameters(port: CppPort, read_only: bool) -> tuple[str, ...]:
    """Return the parameters of a port as Vitis HLS has them: arrays, or ``hls::stream``."""
    const = "const " if read_only and not port.is_stream else ""
    return tuple(f"{const}{text}" for text in port.declarations())


def top_parameters(layout: DesignLayout) -> tuple[str, ...]:
    """Return the parameters of a top function that takes whole arrays."""
    return tuple(text for port in layout.boundary for text in parameters(port, port.array.is_given))


def process_functions(layout: DesignLayout, declared: Declared = parameters) -> Iterator[Item]:
    """Yield the functions of bound operators, then one for each process.

    Parameters
    ----------
    declared
        Texts of the parameters for a port, and whether the process only reads it.
    """
    operators, processes = _functions(layout, declared)
    for function in operators:
        yield from (CppStatement(""), function)
    for items in processes:
        yield from (CppStatement(""), *items)


def node_texts(layout: DesignLayout) -> dict[str, str]:
    """Return, by node, the function of its process as the kernel of Vitis HLS has it."""
    _, processes = _functions(layout, parameters)
    return {
        scheduled.node.name: render(items)
        for process, items in zip(layout.processes, processes, strict=False)
        for scheduled in process.nodes
    }


def _functions(
    layout: DesignLayout, declared: Declared
) -> tuple[Sequence[CppFunction], list[tuple[Item, ...]]]:
    """Return the functions of bound operators, and those of processes with their comments."""
    functions = OperatorFunctions()
    fills = (resident.fill for resident in layout.residents)
    own = (*layout.processes, *fills)
    processes = [tuple(_process(p, functions, declared, layout.top)) for p in own]
    return functions.items, processes


def _origin(node: Node) -> str:
    """Return where a node comes from, without the folder: the same text on every machine."""
    if node.loc is None:
        return ""
    return f"; {replace(node.loc, file=PurePath(node.loc.file).name)}"


def _process(
    process: CppProcess, functions: OperatorFunctions, declared: Declared, top: str
) -> Iterator[Item]:
    taken = [text for port in process.inputs for text in declared(port, True)]
    taken += [text for port in process.writes for text in declared(port, False)]
    ports = (*process.inputs, *process.tables, *process.writes)
    scope = Names([*FUNCTION_NAMES, *(name for p in ports for name in (p.name, *p.parts))])
    body = [item for port in process.tables for item in table_definition(top, port)]
    for scheduled in process.nodes:
        node = scheduled.node
        loops = ", ".join(f"{loop.name} {loop.trip_count}" for loop in node.loops)
        domain = (loops or "a single point") + _origin(node)
        function = partial(functions.name, scheduled.binding)
        if isinstance(node, SequentialNode):
            yield Comment(f"Node '{node.name}': {', '.join(node.outputs)} in order over {domain}")
            assert scheduled.stepped is not None, "sequential nodes have an order"
            writer = SteppedWriter(node, scheduled.stepped, process, scope, function)
            body += writer.items()
        elif is_mover(process):
            what = f"{node.write.array} from {', '.join(node.inputs)}"
            yield Comment(f"Mover '{node.name}': {what} over {domain}")
            body += MoverWriter(scheduled, process, scope).items()
        else:
            yield Comment(f"Node '{node.name}': {node.write} over {domain}")
            body += NestWriter(scheduled, process, scope, functions).items()
    yield CppFunction(f"static void {process.name}", tuple(taken), tuple(body))
