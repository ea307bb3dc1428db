"""The five optimization levels of the paper ([1] table 6) and the one beyond, as data."""

from dataclasses import dataclass
from enum import StrEnum


class LevelName(StrEnum):
    """Name of a level, as on the command line."""

    OPT1 = "opt1"
    OPT2 = "opt2"
    OPT3 = "opt3"
    OPT4 = "opt4"
    OPT5 = "opt5"
    OPT6 = "opt6"


@dataclass(frozen=True, slots=True)
class Level:
    """The decisions of a level."""

    name: LevelName
    title: str
    permutes: bool
    """Loop orders are free (graph- and node-level pipelining)."""
    tiles: bool
    """Unroll factors are free (node-level parallelization)."""
    untiled_first: bool = False
    """Only loop orders that are best without tiling are allowed: the paper's two-step search."""
    is_as_built: bool = False
    """Costs are those of the hardware (`streamopt.perf.as_built.node_costs`) instead of the
    published ones."""

    @property
    def unrolls_sequential(self) -> bool:
        """Return whether loops of sequential nodes may have lanes: their orders are free, too."""
        return self.permutes and self.tiles


LEVELS: dict[LevelName, Level] = {
    level.name: level
    for level in (
        Level(LevelName.OPT1, "FIFO conversion only", permutes=False, tiles=False),
        Level(LevelName.OPT2, "loop orders", permutes=True, tiles=False),
        Level(LevelName.OPT3, "tiles in the original loop order", permutes=False, tiles=True),
        Level(
            LevelName.OPT4,
            "loop orders, then tiles",
            permutes=True,
            tiles=True,
            untiled_first=True,
        ),
        Level(LevelName.OPT5, "loop orders and tiles at once", permutes=True, tiles=True),
        Level(LevelName.OPT6, "beyond the paper", permutes=True, tiles=True, is_as_built=True),
    )
}

PUBLISHED_TILING_LIMIT = 16
"""Least trip count of a tile loop in most published runs."""

PAPER_LEVELS: tuple[LevelName, ...] = tuple(
    name for name, level in LEVELS.items() if not level.is_as_built
)
"""Those whose model is that of [1]."""


class BindingChoice(StrEnum):
    """Resources that floating-point operators may be built from.

    ``free``: DSPs or LUTs, node by node. ``tool``: as the vendor's tool does unasked. ``dsp``:
    likewise, but every multiply-accumulate counts 5 DSPs, though the tool builds adders in haste
    without; operators that are no part of one may be LUTs (O7).
    """

    FREE = "free"
    TOOL = "tool"
    DSP = "dsp"
