"""What of a loop order the hardware of a node depends on: little, so that most orders are alike.

By the rules of `streamopt.perf` the order of tile loops matters to the distance of a recurrence
(the loops inside the innermost one that an access doesn't use), to buffers that are registers
(whether the loops that an access uses are the outer ones) and to products in addresses (the
innermost loop).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Node
    from streamopt.ir.schedule import NodePlan

__all__ = ["order_signature"]


def order_signature(node: Node, plan: NodePlan) -> Hashable:
    """Return what two orders of equal unroll factors share if they take the same hardware."""
    factors, trips = plan.factors, node.trip_counts
    moving = [name for name in plan.order if trips[name] > factors[name]]
    accesses = (node.write, *node.reads)
    return (tuple(moving[-1:]), tuple(_seen_by(access, moving) for access in accesses))


def _seen_by(access: Access, moving: Sequence[str]) -> Hashable:
    used = set(access.iterators())
    unused = [place for place, name in enumerate(moving) if name not in used]
    if not unused:
        return True, frozenset[str]()
    inside = frozenset(moving[unused[-1] + 1 :])
    return all(name not in used for name in moving[unused[0] :]), inside
