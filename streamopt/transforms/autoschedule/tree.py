"""isl's schedules as orders of pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamopt.ir.affine import Affine
from streamopt.transforms.autoschedule.orders import OrderedLoop, OrderedPiece

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.transforms.autoschedule.orders import OrderedItem

PARAMETER = "p_"
"""Stands before the loops that are parameters: isl has words of its own, such as NAN."""


def order_of(
    schedule: Any, coordinates: Mapping[int, tuple[Affine, ...]]
) -> tuple[OrderedItem, ...]:
    """Return the order that a schedule is.

    Parameters
    ----------
    coordinates
        By piece: those of its domain in the schedule, over the node's loops.
    """
    root = schedule.get_root()
    return _items(root.child(0), frozenset(coordinates), coordinates)


def _items(
    node: Any, pieces: frozenset[int], coordinates: Mapping[int, tuple[Affine, ...]]
) -> tuple[OrderedItem, ...]:
    import islpy as isl

    kinds: Any = isl.schedule_node_type
    match node.get_type():
        case kinds.leaf:
            return tuple(OrderedPiece(piece) for piece in sorted(pieces))
        case kinds.sequence | kinds.set:
            parts = (node.child(at) for at in range(node.n_children()))
            found = [(part, _filtered(part) & pieces) for part in parts]
            if node.get_type() == kinds.set:
                found.sort(key=lambda one: min(one[1], default=0))
            inner = (_items(part.child(0), own, coordinates) for part, own in found if own)
            return tuple(item for items in inner for item in items)
        case kinds.band:
            return _band(node, pieces, coordinates)
        case other:
            message = f"isl gave a node of kind {other}"
            raise AssertionError(message)


def _filtered(node: Any) -> frozenset[int]:
    return frozenset(map(_place, listed(node.filter_get_filter().get_set_list())))


def listed(found: Any) -> list[Any]:
    """Return the members of an isl list."""
    members: list[Any] = []
    found.foreach(members.append)
    return members


def _place(points: Any) -> int:
    return int(points.get_tuple_name().removeprefix("S"))


def _band(
    node: Any, pieces: frozenset[int], coordinates: Mapping[int, tuple[Affine, ...]]
) -> tuple[OrderedItem, ...]:

    items = _items(node.child(0), pieces, coordinates)
    partial = node.band_get_partial_schedule()
    for at in range(node.band_n_member() - 1, -1, -1):
        values: dict[int, Affine] = {}
        for part in listed(partial.get_union_pw_aff(at).get_pw_aff_list()):
            place = _place(part.domain())
            if place in pieces:
                values[place] = _value(part, coordinates[place])
        items = (OrderedLoop(values, bool(node.band_member_get_coincident(at)), items),)
    return items


def _value(part: Any, coordinates: tuple[Affine, ...]) -> Affine:
    import islpy as isl

    assert part.n_piece() == 1
    aff = part.as_aff()
    total = Affine.of(int(aff.get_constant_val().to_python()))
    for at, coordinate in enumerate(coordinates):
        factor = aff.get_coefficient_val(isl.dim_type.in_, at).to_python()
        total = total + coordinate.scaled(int(factor))
    for at in range(aff.dim(isl.dim_type.param)):
        factor = aff.get_coefficient_val(isl.dim_type.param, at).to_python()
        name = aff.get_dim_name(isl.dim_type.param, at).removeprefix(PARAMETER)
        total = total + Affine.iterator(name).scaled(int(factor))
    return total
