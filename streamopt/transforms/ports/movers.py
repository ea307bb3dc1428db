"""Movers: processes that do nothing but carry an array over the design's boundary.

Before::

    for i, j, k: C[i][j] += A[i][k] * B[k][j]               # gemm

After, for A and C off the chip::

    for i, k: A_chip[i][k] = A[i][k]                        # load_A
    for i, j, k: C_chip[i][j] += A_chip[i][k] * B[k][j]     # gemm
    for i, j: C[i][j] = C_chip[i][j]                        # store_C

So a mover has loops to be ordered and unrolled, and a channel to the process behind it, like any
other node. An array that a process needs anew for each iteration of an outer loop is
read as often, into as many copies, of which a FIFO holds no more than is on its way.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from streamopt.analysis.access_order import as_digits
from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Read, moved_leaf
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.program import Array, Loop, Role
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.rebuilding import reading, rewritten_node, with_parts, writing

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


def mover_of(graph: Graph, array: str, again: Sequence[str] = ()) -> Node | None:
    """Return the node that alone touches a boundary array, if it does nothing but carry it.

    Parameters
    ----------
    again
        Loops for each of whose iterations it does.
    """
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
    kept = {side: again if side.array == array else () for side in sides}
    carries = all(_walks(side, node, graph.array(side.array), kept[side]) for side in sides)
    return node if is_alone and carries and other and len(elements) == 1 else None


def _walks(access: Access, node: Node, array: Array, again: Sequence[str]) -> bool:
    """Return whether an access touches every element of its array once, by plain iterators.

    These may be digits of a subscript. Once for each iteration of some loops, if they are given.
    """
    trips = node.trip_counts
    digits, shape = as_digits(access, array.shape, trips)
    names = [s.as_iterator() for s, n in zip(digits.subscripts, shape, strict=True) if n > 1]
    extents = [extent for extent in shape if extent > 1]
    loops = [name for name, trip_count in trips.items() if trip_count > 1 and name not in again]
    plain = [name for name in names if name is not None]
    return sorted(plain) == sorted(loops) and [trips[name] for name in plain] == extents


def with_movers(
    graph: Graph,
    arrays: Collection[str],
    again: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Graph:
    """Return the graph with a mover for each of these boundary arrays that has none yet.

    Parameters
    ----------
    again
        By array: loops of its reader, for each of whose iterations it is moved.

    Raises
    ------
    LegalityError
        E331 for an array to be moved several times that several nodes read, or for loops that its
        reader doesn't have.
    """
    touched = {name for node in graph.nodes for name in (*node.inputs, *node.outputs)}
    for name in arrays:
        own = again.get(name, ())
        if name in touched and mover_of(graph, name, own) is None:
            graph = _with_mover(graph, graph.array(name), own)
    return graph


def _with_mover(graph: Graph, array: Array, again: Sequence[str]) -> Graph:
    name = FreeNames(other.name for other in graph.arrays).fresh(f"{array.name}_chip")
    users = [node for node in graph.nodes if array.name in (*node.inputs, *node.outputs)]
    outer, names = _outer_loops(array, users, again), FreeNames(node.name for node in graph.nodes)
    digits = _in_digits(array, users)
    own = digits.loops if digits else _loops(array, users)
    outside = Access(array.name, digits.access.subscripts if digits else _place(own))
    loops = (*outer, *own)
    shape = (*(loop.trip_count for loop in outer), *(digits.shape if digits else array.shape))
    inner = replace(array, name=name, role=Role.INTERNAL, shape=shape)
    here = Access(inner.name, _place(loops))

    first = _place(outer)
    place = digits.place if digits else None
    nodes = [_with_array(node, array.name, inner.name, first, place) for node in graph.nodes]
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


def _outer_loops(array: Array, users: Sequence[Node], again: Sequence[str]) -> tuple[Loop, ...]:
    """Return the loops around a mover: those of the only reader for which it moves anew."""
    if not again:
        return ()
    loops = {loop.name: loop for loop in users[0].loops}
    walked = {name for access in users[0].reads_of(array.name) for name in access.iterators()}
    if len(users) > 1 or not array.is_given or not loops.keys() - walked >= {*again}:
        message = f"port '{array.name}': it can't be read again for {', '.join(again)}"
        hint = "name loops of its only reader, none of which its subscripts have"
        raise LegalityError(Diagnostic("E331", message, hint=hint))
    return tuple(loops[name] for name in again)


def _place(loops: Sequence[Loop]) -> tuple[Affine, ...]:
    return tuple(Affine.iterator(loop.name) for loop in loops)


@dataclass(frozen=True, slots=True)
class _Digits:
    """The only read of an array, some dimension of which is walked in digits."""

    access: Access
    place: tuple[Affine, ...]
    """Of the same element, with a subscript for each digit."""
    shape: tuple[int, ...]
    loops: tuple[Loop, ...]


def _in_digits(array: Array, users: Sequence[Node | SequentialNode]) -> _Digits | None:
    """Return the digits of a streaming node that alone reads an array, once in its value."""
    if len(users) != 1 or isinstance(users[0], SequentialNode) or not array.is_given:
        return None
    trips, found = users[0].trip_counts, users[0].reads_of(array.name)
    if len(found) != 1:
        return None
    read, shape = as_digits(found[0], array.shape, trips)
    names = [subscript.as_iterator() for subscript in read.subscripts]
    loops = tuple(Loop(name, trips[name]) for name in names if name is not None)
    is_whole = tuple(loop.trip_count for loop in loops) == shape
    if shape == array.shape or not is_whole or len({*names}) < len(names):
        return None
    return _Digits(found[0], read.subscripts, shape, loops)


def _with_array(
    node: Node, old: str, new: str, first: tuple[Affine, ...], place: tuple[Affine, ...] | None
) -> Node:
    """Return a node that touches the array inside, in a place of its own if that is given."""
    if not first and place is None:
        return writing(reading(node, old, new), old, new)

    def placed(access: Access) -> Access:
        here = (*first, *(access.subscripts if place is None else place))
        return Access(new, here) if access.array == old else access

    return rewritten_node(node, moved_leaf(placed))
