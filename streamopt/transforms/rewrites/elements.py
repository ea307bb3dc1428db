"""Elements that a point-wise node writes, by subscripts: its write access function inverted."""

from collections.abc import Callable, Iterator, Sequence

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.graph import Node, SequentialNode

Box = tuple[tuple[int, int], ...]
"""Pairs (first, extent), one for each dimension of an array."""


def box(node: Node) -> Box | None:
    """Return the elements that a point-wise node writes, each at one iteration.

    None where it is no such node, or where a subscript is anything but an iterator of its own
    plus a constant, or a constant.
    """
    if isinstance(node, SequentialNode) or node.reduction is not None:
        return None
    trips, names = node.trip_counts, [*_iterators(node.write)]
    if len(names) != len(set(names)) or any(
        trips[name] > 1 and name not in names for name in trips
    ):
        return None
    found: list[tuple[int, int]] = []
    for subscript in node.write.subscripts:
        match subscript.terms:
            case ():
                found.append((subscript.constant, 1))
            case ((Iter(name), 1),):
                found.append((subscript.constant, trips[name]))
            case _:
                return None
    return tuple(found)


def _iterators(access: ir.Access) -> Iterator[str]:
    for subscript in access.subscripts:
        yield from subscript.iterators()


def value_at(
    node: Node, value: ir.Expression, subscripts: Sequence[Affine], loops: Sequence[str]
) -> ir.Expression:
    """Return an expression of a node's iterators where the node writes the given subscripts.

    Parameters
    ----------
    node
        One that has a `box`.
    subscripts
        Over the iterators of another node, of which ``loops`` are the names in program order.
    """
    return ir.rewrite(value, _moved(node, subscripts, loops))


def condition_at(
    node: Node, condition: ir.Condition, subscripts: Sequence[Affine], loops: Sequence[str]
) -> ir.Condition:
    """Return a condition as `value_at` does a value."""
    return ir.rewrite_condition(condition, _moved(node, subscripts, loops))


def _moved(
    node: Node, subscripts: Sequence[Affine], loops: Sequence[str]
) -> Callable[[ir.Expression], ir.Expression]:
    at = dict.fromkeys(node.trip_counts, Affine())  # idle loops have one iteration
    for written, subscript in zip(node.write.subscripts, subscripts, strict=True):
        for name in written.iterators():
            at[name] = subscript - Affine.of(written.constant)

    def moved(access: ir.Access) -> ir.Access:
        found = access.substitute(at)
        return ir.Access(access.array, tuple(s.ordered(loops) for s in found.subscripts))

    return ir.moved_leaf(moved, lambda index: index.substitute(at).ordered(loops))


def is_linear(expression: ir.Expression) -> bool:
    """Return whether no subscript or index has a quotient or remainder."""
    parts = ir.walk(expression)
    return all(value.is_linear for part in parts for value in _subscripts(part))


def _subscripts(part: ir.Expression) -> tuple[Affine, ...]:
    match part:
        case ir.Read(access):
            return access.subscripts
        case ir.Index(value):
            return (value,)
        case _:
            return ()
