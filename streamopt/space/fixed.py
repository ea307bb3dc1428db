"""Decisions that a user has made, and the decision space under them.

(L5) and (L6) of ``models/formulations/scheduling.md``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.space.tiles import LoopKey, TileClass

_HINT = "change the step of the schedule that says so, or leave the decision to the solver"


@dataclass(frozen=True, slots=True)
class Fixed:
    """Loop orders by node, outermost first, and unroll factors by (node, loop).

    Others are the initiation intervals that nodes ask for.
    """

    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    factors: Mapping[LoopKey, int] = field(default_factory=dict[tuple[str, str], int])
    target_iis: Mapping[str, int] = field(default_factory=dict[str, int])

    def __bool__(self) -> bool:
        """Return whether anything is fixed."""
        return bool(self.orders or self.factors)


NOTHING_FIXED = Fixed()


def fixed_orders(
    graph: Graph, free: Mapping[str, tuple[tuple[str, ...], ...]], fixed: Fixed
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the loop orders of each node: the fixed one where there is one.

    Raises
    ------
    InfeasibleError
        For an unknown node or order (E408).
    """
    found = dict(free)
    for name, order in fixed.orders.items():
        if name not in found:
            raise _refused("E408", f"{graph.name} has no node '{name}' whose loops are in order")
        loops = tuple(graph.node(name).trip_counts)
        is_known = sorted(order) == sorted(loops)
        if not is_known or (isinstance(graph.node(name), SequentialNode) and order != loops):
            message = f"loop order {', '.join(order)} of {name} is none that it may take"
            raise _refused("E408", message)
        found[name] = (order,)
    return found


def fixed_classes(
    graph: Graph, classes: Sequence[TileClass], fixed: Fixed
) -> tuple[TileClass, ...]:
    """Return the tile classes with the factors of fixed loops alone.

    A factor that a user asks for need not keep the tiling limit, which is for the others.

    Raises
    ------
    InfeasibleError
        E409 for a factor of an unknown loop, or one that doesn't divide the trip counts of its
        class, on a sequential node, or that isn't that of another loop of the class.
    """
    nodes = {node.name: node for node in graph.nodes}
    for (name, loop), factor in fixed.factors.items():
        if name not in nodes or loop not in nodes[name].trip_counts:
            raise _refused("E409", f"{graph.name} has no loop '{loop}' of a node '{name}'")
        if factor > 1 and isinstance(nodes[name], SequentialNode):
            raise _sequential(graph, name, loop, factor)
    return tuple(_fixed_class(graph, group, fixed) for group in classes)


def _fixed_class(graph: Graph, group: TileClass, fixed: Fixed) -> TileClass:
    asked = {key: fixed.factors[key] for key in group.members if key in fixed.factors}
    if not asked:
        return group
    (node, loop), factor = next(iter(asked.items()))
    for (other, inner), own in asked.items():
        if own != factor:
            message = f"loop {loop} of {node} has unroll factor {factor}, loop {inner} of {other} "
            message += f"{own}; they walk one dimension of an array between them"
            raise _refused("E409", message)
    for member, inner in group.members:
        trips = graph.node(member).trip_counts[inner]
        place = f"loop {inner} of {member}, with {trips} iterations"
        if factor not in group.factors and not 1 <= factor <= trips:
            raise _refused("E409", f"unroll factor {factor} is too large for {place}")
        if factor not in group.factors and trips % factor:
            raise _refused("E409", f"unroll factor {factor} doesn't divide {place}")
    return TileClass(group.members, (factor,))


def _sequential(graph: Graph, name: str, loop: str, factor: int) -> InfeasibleError:
    node = graph.node(name)
    reason = f": {node.reason}" if isinstance(node, SequentialNode) and node.reason else ""
    message = f"loop {loop} of {name} can't be unrolled by {factor}, as {name} is sequential"
    hint = "it gets an order and lanes of its own; leave them to the solver"
    return InfeasibleError(Diagnostic("E409", f"{message}{reason}", node.loc, hint))


def _refused(code: str, message: str) -> InfeasibleError:
    return InfeasibleError(Diagnostic(code, message, hint=_HINT))
