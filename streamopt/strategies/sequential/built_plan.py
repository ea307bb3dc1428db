"""A plan of a sequential node as built alone between arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamopt.ir.schedule import NodePlan
    from streamopt.perf.costs import NodeCost
    from streamopt.target.resources import Resources


@dataclass(frozen=True, slots=True)
class BuiltPlan:
    """A plan with its cost, and all that the node takes alone."""

    plan: NodePlan
    """With the lengths of visits."""
    cost: NodeCost
    used: Resources
