"""The later times of two cost models, with the resources of the first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.graph import Node
    from streamopt.perf.costs import CostModel, NodeCost, Setting

__all__ = ["LaterCosts"]


@dataclass(frozen=True, slots=True)
class LaterCosts:
    """The costs of a model, but no earlier than another model says.

    A schedule is as late under it as under either of them, or later.
    """

    whole: CostModel
    times: CostModel

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        cost = self.whole.node_cost(node, order, factors, setting)
        own, other = cost.timing, self.times.node_cost(node, order, factors, setting).timing
        last = _later(own.last_write, other.last_write)
        epilogues = {
            array: _later(
                own.last_write - own.last_read[array], other.last_write - other.last_read[array]
            )
            for array in setting.operands
        }
        timing = replace(
            other,
            first_write=_later(own.first_write, other.first_write),
            last_write=last,
            last_read={array: last - epilogue for array, epilogue in epilogues.items()},
        )
        return replace(cost, timing=timing)

    def least_dsps(self, node: Node, setting: Setting) -> int:
        """Return DSPs below which no choice of a node with that binding goes."""
        return self.whole.least_dsps(node, setting)


def _later(first: Any, second: Any) -> Any:
    found = np.maximum(first, second)
    return int(found) if found.ndim == 0 else found
