"""How much the search of plans of a sequential node tries."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlanSearchTuning:
    """How many plans are drafted and built; chosen on PolyBench's sequential kernels."""

    most_drafts: int = 120  # within all that the node may take
    most_built: int = 8
    most_rows: int = 3  # of a kind: one loop of each phase in tiles, where windows serve reads
    parts: tuple[float, ...] = (0.9, 0.5, 0.25, 0.125, 0.03)  # each with fewer drafts
    rough: float = 2.5  # times the limits on LUTs: estimates are too high for many lanes
    close: float = 1.05  # times the limit on DSPs, by what drafts took of their estimates
    roughly: float = 1.45  # times that on LUTs
    most_unsafe: int = 2  # of an order: its banks have too few ports
    hope: float = 0.5  # of the least cycles beside visits that a draft had
    unknown_luts: float = 0.5  # of an estimate, before there is a draft


TUNING = PlanSearchTuning()
MOST_LATE = 3
"""Plans of a part that are built once there are no drafts left."""
FEW_DSPS = 128
"""Of which a share says little: some addresses take as many as an operator."""
SPARE_PARTS = (0.93, 0.8)
"""In place of `PlanSearchTuning.parts`, where other nodes have little to do."""


@dataclass(frozen=True, slots=True)
class SmallNodeTuning:
    """Which nodes have all of their candidates built: some seconds; not measured."""

    candidates: int = 128  # of all orders and bindings
    iterations: int = 20_000
    work: float = 3.0  # processor seconds, by `streamopt.work`; further candidates stay out


SMALL = SmallNodeTuning()
STRAIGHTENED = 4
"""Plans, the quickest, that are also built without copies of small arrays."""
STRAIGHTER = 0.9
"""Of the cycles is left, at most, of such a plan: beside its neighbors a node's copies take fewer
than alone."""
