"""Movers: processes that do nothing but carry an array over the design's boundary.

Before::

    for i, j, k: C[i][j] += A[i][k] * B[k][j]               # gemm

After, for A and C off the chip::

    for i, k: A_chip[i][k] = A[i][k]                        # load_A
    for i, j, k: C_chip[i][j] += A_chip[i][k] * B[k][j]     # gemm
    for i, j: C[i][j] = C_chip[i][j]                        # store_C

So a mover has loops to be ordered and unrolled, and a channel to the process behind it, like any
other node.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Read
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.program import Array, Loop, Role
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.rebuilding import reading, with_parts, writing

_OTHERS = "memory, m_axi or axis"


def moved_arrays(graph: Graph, ports: Sequence[PortPlan]) -> tuple[str, ...]:
    """Return the arrays that ports put off the chip; a single element stays a register.

    Raises
    ------
    LegalityError
        E331 for a port of an array that doesn't cross the boundary, or two ports of one; E334 for
        a table of an array that is written, or whose values are not known, or a resident one that
        is written.
    """
    crossing = {a.name: a for a in graph.arrays if a.role is not Role.INTERNAL}
    names = [port.array for port in ports]
    for name in names:
        if name not in crossing or names.count(name) > 1:
            what = "no array that crosses the boundary" if name not in crossing else "given twice"
            hint = f"the arrays are {', '.join(crossing)}"
            raise LegalityError(Diagnostic("E331", f"port '{name}': {what}", hint=hint))
    for port in ports:
        if port.kind is PortKind.ROM:
            _check_table(graph, crossing[port.array])
        elif port.kind is PortKind.RESIDENT and not crossing[port.array].is_given:
            message = f"{port.array} can't be resident: the design writes it"
            raise LegalityError(Diagnostic("E334", message, hint=f"choose another port: {_OTHERS}"))
    return tuple(
        port.array
        for port in ports
        if port.kind.is_outside
        and not (crossing[port.array].is_given and crossing[port.array].size_elems == 1)
    )


def _check_table(graph: Graph, array: Array) -> None:
    """Raise E334 for an array that can't be a table."""
    if not array.is_given:
        what, hint = "the design writes it", f"choose another port: {_OTHERS}"
    elif graph.values_of(array.name) is None:
        what = "its values are not known"
        hint = "choose another port, or a source with values: a graph.json with 'weights', "
        hint += "a PyTorch module or an ONNX model"
    else:
        return
    message = f"{array.name} can't be a table (rom): {what}"
    raise LegalityError(Diagnostic("E334", message, hint=hint))


def mover_of(graph: Graph, array: str) -> Node | None:
    """Return the node that alone touches a boundary array, if it does nothing but carry it."""
    users = [node for node in graph.nodes if array in (*node.inputs, *node.outputs)]
    if len(users) != 1 or isinstance(users[0], SequentialNode):
        return None
    node = users[0]
    if node.reduction is not None or not isinstance(node.value, Read):
        return None
    other = {node.value.access.array, node.write.array} - {array}
    elements = {graph.array(name).element for name in (array, *other)}
    is_alone = len(graph.writers(node.write.array)) == 1
    sides = (node.value.access, node.write)
    carries = all(_walks(side, node, graph.array(side.array)) for side in sides)
    return node if is_alone and carries and other and len(elements) == 1 else None


def _walks(access: Access, node: Node, array: Array) -> bool:
    """Return whether an access touches every element of its array once, by plain iterators."""
    names = [s.as_iterator() for s, n in zip(access.subscripts, array.shape, strict=True) if n > 1]
    trips = node.trip_counts
    extents = [extent for extent in array.shape if extent > 1]
    loops = [name for name, trip_count in trips.items() if trip_count > 1]
    plain = [name for name in names if name is not None]
    return sorted(plain) == sorted(loops) and [trips[name] for name in plain] == extents


def with_movers(graph: Graph, arrays: Collection[str]) -> Graph:
    """Return the graph with a mover for each of these boundary arrays that has none yet."""
    touched = {name for node in graph.nodes for name in (*node.inputs, *node.outputs)}
    for name in arrays:
        if name in touched and mover_of(graph, name) is None:
            graph = _with_mover(graph, graph.array(name))
    return graph


def _with_mover(graph: Graph, array: Array) -> Graph:
    name = FreeNames(other.name for other in graph.arrays).fresh(f"{array.name}_chip")
    inner = replace(array, name=name, role=Role.INTERNAL)
    users = [node for node in graph.nodes if array.name in (*node.inputs, *node.outputs)]
    names = FreeNames(node.name for node in graph.nodes)
    loops = _loops(array, users)
    place = tuple(Affine.iterator(loop.name) for loop in loops)
    here, outside = Access(inner.name, place), Access(array.name, place)
    nodes = [_with_array(node, array.name, inner.name) for node in graph.nodes]
    if array.is_given:
        name = names.fresh(f"load_{array.name}")
        first = min(graph.nodes.index(user) for user in users)
        nodes.insert(first, Node(name, loops, here, Read(outside), loc=users[0].loc))
    else:
        name = names.fresh(f"store_{array.name}")
        writers = graph.writers(array.name)
        last = max(graph.nodes.index(user) for user in writers)
        nodes.insert(last + 1, Node(name, loops, outside, Read(here), loc=writers[-1].loc))
    return with_parts(graph, (*graph.arrays, inner), nodes)


def _loops(array: Array, users: Sequence[Node]) -> tuple[Loop, ...]:
    """Return a loop for each dimension, called as the first user calls it where it can be."""
    for node in users:
        for access in (*node.reads_of(array.name), node.write):
            names = [subscript.as_iterator() for subscript in access.subscripts]
            found = [name for name in names if name is not None]
            if access.array == array.name and len(set(found)) == len(array.shape):
                return tuple(map(Loop, found, array.shape))
    return tuple(Loop(f"d{at}", extent) for at, extent in enumerate(array.shape))


def _with_array(node: Node, old: str, new: str) -> Node:
    return writing(reading(node, old, new), old, new)
