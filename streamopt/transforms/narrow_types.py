"""Arrays between nodes in the narrowest integer type that surely has all their values.

PyTorch adds products of integers up in ``int64_t``; of ``int8_t`` numbers, n products are within
``n * 2^14``, so that ``int32_t`` is enough below 2^17 of them. A front end also widens what it
computes with, one nest for each conversion. Before::

    to[i][k] = int32_t(x[i][k])                          # int32_t to
    acc[i][j] += int64_t(to[i][k]) * int64_t(w[k][j])    # int64_t acc

After, with the same values::

    to[i][k] = int32_t(x[i][k])                          # int8_t to
    acc[i][j] += int64_t(int32_t(to[i][k])) * int64_t(w[k][j])    # int32_t acc

Reads convert to the type that there was, so that every operation stays in its type; the vendor's
tool sees the narrow operands through conversions. Arguments keep their types.
"""

from collections.abc import Mapping
from dataclasses import replace

from streamopt.analysis.value_ranges import ValueContext, narrowest_type, written_range
from streamopt.ir.arithmetic import Range, type_range
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Cast, Expression, Literal, Read, Select, reads
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Role
from streamopt.transforms.rebuilding import rewritten_node


def narrowed(graph: Graph) -> Graph:
    """Return the graph with narrower arrays between its nodes; itself if none can be."""
    types = _types(graph)
    if not types:
        return graph
    arrays = tuple(
        replace(array, element=types.get(array.name, array.element)) for array in graph.arrays
    )
    nodes = tuple(_reading(node, types, graph) for node in graph.nodes)
    return replace(graph, arrays=arrays, nodes=nodes)


def _types(graph: Graph) -> dict[str, ElementType]:
    """Return the types of the arrays that may be narrower."""
    ranges = _array_ranges(graph)
    whole = {
        name
        for node in graph.nodes
        if isinstance(node, SequentialNode)
        for name in (*node.inputs, *node.outputs)
    }
    found: dict[str, ElementType] = {}
    for array in graph.arrays:
        if array.role is not Role.INTERNAL or array.name in whole or array.name not in ranges:
            continue
        narrow = narrowest_type(ranges[array.name], array.element)
        if narrow is not array.element:
            found[array.name] = narrow
    return found


def _array_ranges(graph: Graph) -> dict[str, Range]:
    """Return between which values the integers lie that streaming nodes write."""
    found: dict[str, Range] = {}
    for node in graph.nodes:
        for name in node.outputs:
            element = graph.element_of(name)
            if element.is_integer:
                values = written_range(
                    node, ValueContext(graph.element_of, node.trip_counts, found)
                )
                whole = type_range(element)
                known = values if values is not None and values.within(whole) else whole
                found[name] = known.joined(found.get(name, known))
    return found


def _reading(node: Node, types: Mapping[str, ElementType], graph: Graph) -> Node:
    """Return a node that converts what it reads of narrower arrays."""
    if not types.keys() & set(node.inputs):
        return node

    def leaf(part: Expression) -> Expression:
        if isinstance(part, Read) and part.access.array in types:
            return Cast(graph.element_of(part.access.array), part)
        return part

    return node if _only_moves(node, types) else rewritten_node(node, leaf)


def _only_moves(node: Node, types: Mapping[str, ElementType]) -> bool:
    """Return whether a node writes what it reads, in one type, which needs no conversion."""
    element = types.get(node.write.array)
    moved = {types.get(access.array) for access in reads(node.value)}
    return node.reduction is None and moved == {element} and _is_chosen(node.value)


def _is_chosen(value: Expression) -> bool:
    if isinstance(value, Select):
        return not reads(value.condition) and all(map(_is_chosen, (value.then, value.otherwise)))
    return isinstance(value, Read | Literal)
