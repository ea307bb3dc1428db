"""A report of synthesis as values: modules, their loops and their resources, as the tool says.

A member is None where the report has a dash, a question mark or ``undef``. Of a range, the most is
taken.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReportedLoop:
    """A loop of a module; one that was flattened has the names of all its levels."""

    name: str
    trip_count: int | None = None
    latency_cycles: int | None = None
    ii: int | None = None
    """Of a pipelined loop, as achieved; None for one that isn't pipelined."""
    depth_cycles: int | None = None
    """Cycles of one iteration."""
    loops: tuple[ReportedLoop, ...] = ()
    """The loops inside that were not flattened into it."""


@dataclass(frozen=True, slots=True)
class ReportedModule:
    """A function of the design, with everything below it in its resources."""

    name: str
    latency_cycles: int | None = None
    clock_ns: float | None = None
    dsps: int | None = None
    bram18: int | None = None
    uram: int | None = None
    luts: int | None = None
    ffs: int | None = None
    loops: tuple[ReportedLoop, ...] = ()


@dataclass(frozen=True, slots=True)
class SynthesisReport:
    """The modules of a design, or some of them."""

    top: str
    """Name of the top function; "" where only parts of a design are reported."""
    modules: tuple[ReportedModule, ...]
    release: str = ""
    """Of the tool: ``2024.2``."""
    part: str = ""
    target_ns: float | None = None
    """Clock period that was asked for."""

    def module(self, name: str) -> ReportedModule | None:
        """Return a module by name; None where it is not reported."""
        return next((each for each in self.modules if each.name == name), None)
