"""The designs that a search has simulated: the best of all, and those to go on from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError
from streamopt.strategies.opt6.simulated_descent import merit
from streamopt.strategies.opt6.simulated_design import SimulatedDesign

if TYPE_CHECKING:
    from streamopt.strategies.opt6.graph_variant import GraphVariant
    from streamopt.strategies.problem import Problem

    Pair = tuple[SimulatedDesign, GraphVariant]

STARTS = 2
"""Designs of a variant that descents begin with, those that promise most."""
NEAR = 2
"""Power of the excess by which a near miss is chosen: less than that of merits."""


class DesignPool:
    """The designs that were searched for, with the variant that each is of.

    Attributes
    ----------
    best
        The best of all; None before there is any.
    count
        How many there were.
    """

    def __init__(self) -> None:
        self.best: Pair | None = None
        self.count = 0
        self._starts: dict[GraphVariant, list[SimulatedDesign]] = {}
        self._near: dict[GraphVariant, SimulatedDesign] = {}
        self._least_closed: dict[tuple[GraphVariant, bool], int] = {}

    def add(self, design: SimulatedDesign, variant: GraphVariant) -> None:
        """Take a design."""
        self.count += 1
        if design.is_within and (self.best is None or design.rank < self.best[0].rank):
            region = variant.region
            if variant.options.sizes_fifos:  # those that it gets at the end
                design = design.with_safe_fifos(region.limits, region.each)
        self.best = best_of([*([self.best] if self.best else []), (design, variant)])
        own = self._starts.setdefault(variant, [])
        own.append(design)
        own.sort(key=merit)
        del own[STARTS:]
        near = self._near.setdefault(variant, design)
        self._near[variant] = min(near, design, key=lambda each: merit(each, NEAR))
        key, closed = (variant, design.is_within), design.predicted_cycles
        self._least_closed[key] = min(closed, self._least_closed.get(key, closed))

    def starts(self, variant: GraphVariant) -> tuple[SimulatedDesign, ...]:
        """Return the designs of a variant that promise most, best first, over a limit or not."""
        return tuple(self._starts.get(variant, ()))

    def descent_starts(self, variant: GraphVariant) -> tuple[SimulatedDesign, ...]:
        """Return the same after a near miss: much quicker, but over a limit by more."""
        starts, near = self.starts(variant), self._near.get(variant)
        return starts if near is None or near in starts else (near, *starts)

    def variants(self) -> list[GraphVariant]:
        """Return the variants that have designs, the most promising one first."""
        return sorted(self._starts, key=lambda variant: merit(self._starts[variant][0]))

    def least_closed_cycles(self, variant: GraphVariant) -> int | None:
        """Return the least closed form of a variant's designs, those within the limits first."""
        within = self._least_closed.get((variant, True))
        return self._least_closed.get((variant, False)) if within is None else within


def best_of(pairs: list[Pair]) -> Pair | None:
    """Return the design of the least rank; of equal ones the first."""
    return min(pairs, key=lambda pair: pair[0].rank, default=None)


def nothing_fits(problem: Problem) -> InfeasibleError:
    """Return the error where even a design without unrolling has too many DSPs (E401)."""
    name, most = problem.graph.name, problem.space.dsp_limit
    message = (
        f"{name} needs more than {most} DSPs with no unrolling, when all operators are counted"
    )
    hint = "give --dsp a larger number, or let adders be LUTs: --binding free"
    return InfeasibleError(Diagnostic("E401", message, hint=hint))
