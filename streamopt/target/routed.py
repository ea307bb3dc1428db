"""Designs of this kind that have been routed and run on a board: the envelope of evidence."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class RoutedDesign:
    """A published design that ran on a board."""

    name: str
    slrs: int
    clock_mhz: float
    milliseconds: float
    """Of a host's call, on the board."""
    cycles: int
    """Of its slowest kernel, as synthesised."""
    dsps: int
    luts: int
    """As synthesised, before placement."""
    lut_share: float
    """Of the fullest region, as routed, with the platform's shell."""


@cache
def routed_designs() -> tuple[RoutedDesign, ...]:
    """Return the bitstreams of Prometheus (UCLA-VAST/Prometheus), for an Alveo U55C."""
    file = resources.files("streamopt.target") / "data" / "routed_designs.csv"
    return tuple(
        RoutedDesign(
            name=row["design"],
            slrs=int(row["slrs_used"]),
            clock_mhz=float(row["mhz"]),
            milliseconds=float(row["ms_on_board"]),
            cycles=int(row["csynth_cycles"]),
            dsps=int(row["dsp"]),
            luts=int(row["csynth_lut"]),
            lut_share=float(row["fullest_slr_lut_pct"]) / 100,
        )
        for row in csv.DictReader(file.read_text("utf-8").splitlines())
    )


def fullest_design() -> RoutedDesign:
    """Return the design with the largest share of a region's LUTs."""
    return max(routed_designs(), key=lambda design: design.lut_share)


def most_routed(slrs: int) -> tuple[int, int]:
    """Return the most DSPs and the most LUTs that were routed on so many regions.

    DSPs are rounded up to tens, as the LUTs are to thousands.

    Examples
    --------
    >>> most_routed(1)
    (1940, 275000)
    """
    within = [design for design in routed_designs() if design.slrs <= slrs]
    dsps, luts = (max(getattr(one, name) for one in within) for name in ("dsps", "luts"))
    return -(-dsps // 10) * 10, luts
