"""Limits of a model, checked before ONNX's own tools see it: a few bytes can ask for any amount."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from math import prod
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, FrontendError
from streamopt.formats.names import quoted
from streamopt.frontends.onnx_model.model import EXPORT_HINT, INVALID, TOO_LARGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import onnx

    from streamopt.errors import SourceLoc

__all__ = ["MAX_FILE_BYTES", "check_sizes"]

MAX_FILE_BYTES = 2**31 - 1
MAX_WEIGHT_BYTES = 2**32
MAX_NODES = 50_000
_MANY = 2**31


def check_sizes(proto: onnx.ModelProto, loc: SourceLoc) -> None:
    """Refuse what would take memory or time out of all proportion to the file.

    Raises
    ------
    FrontendError
        E175 for too many nodes, with functions put in, or weights; E174 for a node that splits
        into other parts than it has outputs.
    """
    nodes = _expanded(proto, loc)
    weights = sum(
        prod(tensor.dims) for tensor in proto.graph.initializer if min(tensor.dims, default=1) > 0
    )
    if nodes > MAX_NODES:
        message = f"the graph has {nodes} nodes, more than {MAX_NODES}"
        raise FrontendError(Diagnostic(TOO_LARGE, message, loc))
    if 4 * weights > MAX_WEIGHT_BYTES:
        message = f"the weights have {weights} elements, more than {MAX_WEIGHT_BYTES // 4}"
        raise FrontendError(Diagnostic(TOO_LARGE, message, loc, "split the model"))
    roots = [proto.graph.node, *(function.node for function in proto.functions)]
    for node in (node for root in roots for node in _nodes(root)):
        parts = next((a.i for a in node.attribute if a.name == "num_outputs"), 0)
        if parts > len(node.output):
            name = quoted(node.name or node.op_type)
            message = f"node {name} splits into {parts} parts, and has {len(node.output)} outputs"
            raise FrontendError(Diagnostic(INVALID, message, loc, EXPORT_HINT))


def _nodes(root: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Yield nodes and those of the graphs inside them."""
    waiting = list(root)
    while waiting:
        node = waiting.pop()
        yield node
        for attribute in node.attribute:
            waiting += attribute.g.node
            for graph in attribute.graphs:
                waiting += graph.node


def _expanded(proto: onnx.ModelProto, loc: SourceLoc) -> int:
    """Return the number of nodes with the model's functions put in where they are called."""
    calls = {
        (function.domain, function.name): [(n.domain, n.op_type) for n in _nodes(function.node)]
        for function in proto.functions
    }
    inner = {key: [call for call in called if call in calls] for key, called in calls.items()}
    sizes: dict[tuple[str, str], int] = {}
    try:
        for key in TopologicalSorter(inner).static_order():
            sizes[key] = min(sum(sizes.get(call, 1) for call in calls[key]), _MANY)
    except CycleError:
        message = "the model's functions call each other in a circle"
        raise FrontendError(Diagnostic(INVALID, message, loc, EXPORT_HINT)) from None
    return min(sum(sizes.get((n.domain, n.op_type), 1) for n in _nodes(proto.graph.node)), _MANY)
