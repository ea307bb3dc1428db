"""The record of a result: one set of members for JSON, CSV, tables, sweeps and reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

Cell: TypeAlias = str | int | float
Row: TypeAlias = dict[str, Cell]
"""A record with the empty cells of a table, or as it stands in a journal."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record(Mapping[str, Cell]):
    """The report of one result: a read-only mapping of the members that it has.

    Members without a unit in their name are counts, or text. A member that a result doesn't have is
    None here and no key of the mapping.

    Attributes
    ----------
    key, run, program, asked_solver, status
        Of a sweep's row: its hash, the run that measured it, and how it ended.
    dsp_limit, tiling_limit
        As asked; DSPs in the accounting of the level.
    objective_cycles, bound_cycles, gap, dsps_used
        Of the model; the bound is 0 where the objective has no latency to bound.
    estimated_cycles, estimated_dsps, own_dsp_limit
        By the model of another system's strategy.
    predicted_cycles, simulated_cycles, dsps, bram18, uram, lut, ff
        Of the design as built, in the closed form and in the simulation.
    argument_bram18, argument_uram
        Blocks that the arguments on the chip would fill, which `bram18` and `uram` are without.
    resident_bram18, resident_uram, launch_cycles
        Blocks of resident arrays, which `bram18` and `uram` contain, and the cycles of filling
        these once.
    fit
        The part of the device that the design keeps to.
    regions, crossing_wires
        Of a design in several super logic regions: its resources in each, in words, and the wires
        of the boundary that has the most.
    claimed_clock_ns, milliseconds, routed_milliseconds, beyond_routed
        The period that is claimed, longer than `clock_ns` at a clock risk; the simulated time at it
        and at the clock of the fullest routed design; the resources of which no routed design took
        as much. See `streamopt.evaluation.time_claim`.
    called_milliseconds
        The routed ones with those of a host's call, where arrays are in its memory.
    measured_cycles, measured_by, measured_dsps
        Of another tool's design, by its RTL simulation or else its synthesis.
    operators
        Whose they are: ``open`` for those of our own Verilog, ``vendor``.
    over
        The resources of which the design takes more than the device has.
    tuning
        Digest of the search's tuning values.
    final
        False for an incumbent of a search that goes on.
    """

    key: str | None = None
    run: str | None = None
    program: str | None = None
    name: str | None = None
    level: str | None = None
    strategy: str | None = None
    asked_solver: str | None = None
    status: str | None = None
    estimated_cycles: int | None = None
    estimated_dsps: int | None = None
    dsp_limit: int | None = None
    tiling_limit: int | None = None
    fit: str | None = None
    objective: str | None = None
    latency_target_cycles: int | None = None
    interval_cycles: int | None = None
    bound_interval_cycles: int | None = None
    latency_cycles: int | None = None
    objective_cycles: int | None = None
    bound_cycles: int | None = None
    bound_dsps: int | None = None
    gap: float | None = None
    proof: str | None = None
    stop: str | None = None
    dsps_used: int | None = None
    roofline_cycles: int | None = None
    solver: str | None = None
    solver_version: str | None = None
    seed: int | None = None
    solve_seconds: float | None = None
    message: str | None = None
    changed_by: str | None = None
    tuning: str | None = None
    built_dsp_limit: int | None = None
    built_dsp_used: int | None = None
    bram18_limit: int | None = None
    bram18_used: int | None = None
    uram_limit: int | None = None
    uram_used: int | None = None
    lut_limit: int | None = None
    lut_used: int | None = None
    ff_limit: int | None = None
    ff_used: int | None = None
    predicted_cycles: int | None = None
    simulated_cycles: int | None = None
    measured_cycles: int | None = None
    measured_by: str | None = None
    measured_dsps: int | None = None
    dsps: int | None = None
    bram18: int | None = None
    uram: int | None = None
    lut: int | None = None
    ff: int | None = None
    argument_bram18: int | None = None
    argument_uram: int | None = None
    regions: str | None = None
    crossing_wires: int | None = None
    resident_bram18: int | None = None
    resident_uram: int | None = None
    launch_cycles: int | None = None
    device: str | None = None
    operators: str | None = None
    clock_ns: float | None = None
    claimed_clock_ns: float | None = None
    milliseconds: float | None = None
    routed_milliseconds: float | None = None
    called_milliseconds: float | None = None
    beyond_routed: str | None = None
    over: str | None = None
    clock_risks: int | None = None
    fifo_bits: int | None = None
    full_fifo_bits: int | None = None
    rewrites: str | None = None
    fabric_nodes: int | None = None
    fifo_channels: int | None = None
    channels: int | None = None
    least_found_cycles: int | None = None
    search_gap: float | None = None
    own_dsp_limit: int | None = None
    design_seconds: float | None = None
    final: bool | None = None

    def __getitem__(self, key: str) -> Cell:
        """Return a member; raises KeyError for one that the result doesn't have."""
        found: Cell | None = getattr(self, key, None) if key in MEMBERS else None
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterate over the members that the result has, in the order of columns."""
        return (name for name in MEMBERS if getattr(self, name) is not None)

    def __len__(self) -> int:
        """Return the number of members that the result has."""
        return sum(1 for _ in self)

    def __or__(self, other: Record) -> Record:
        """Return the members of both; those of the other one win."""
        members: dict[str, Any] = dict(other)
        return replace(self, **members)


MEMBERS: Mapping[str, bool] = {
    field.name: str(field.type).startswith("str") for field in fields(Record)
}
"""All members in the order of columns, and whether each is text."""


def table(records: Iterable[Mapping[str, Cell]]) -> list[Row]:
    """Return rows that all have the same members: empty where a record lacks one."""
    found = list(records)
    columns = dict.fromkeys(member for record in found for member in record)
    return [{member: record.get(member, "") for member in columns} for record in found]
