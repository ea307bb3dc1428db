"""LUTs counted as DSPs at a price: a cost model with one resource of one with two."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.graph import Node
    from streamopt.perf.costs import CostModel, NodeCost, Setting

__all__ = ["PricedCosts"]


@dataclass(frozen=True, slots=True)
class PricedCosts:
    """The costs of a model, with LUTs as DSPs.

    Attributes
    ----------
    price
        In DSPs, for one LUT.
    """

    whole: CostModel
    price: float

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        cost = self.whole.node_cost(node, order, factors, setting)
        paid = np.floor(np.asarray(cost.luts) * self.price).astype(np.int64)
        dsps = cost.dsps + (int(paid) if paid.ndim == 0 else paid)
        return replace(cost, dsps=dsps, luts=0, as_fifo={}, as_buffer={})

    def least_dsps(self, node: Node, setting: Setting) -> int:
        """Return DSPs below which no choice of a node with that binding goes."""
        return self.whole.least_dsps(node, setting)
