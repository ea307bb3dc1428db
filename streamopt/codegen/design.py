"""A design: the files of one project, as text, before anything is written to disk."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from streamopt.ir.schedule import Schedule

if TYPE_CHECKING:
    from streamopt.codegen.checks import Finding
    from streamopt.codegen.layout import DesignLayout
    from streamopt.ir.scheduled import ScheduledGraph


class BackendName(StrEnum):
    """The kinds of project that a design is emitted as."""

    TAPA = "tapa"
    """TAPA: tasks joined by streams, arrays in memory off the chip."""
    VITIS = "vitis"
    """Vitis HLS: streamed C++ with pragmas."""
    NATIVE = "native"
    """A CPU: plain C++17, a thread for each process."""
    RTL = "rtl"
    """Verilog of our own, for any FPGA, and for Verilator."""


@dataclass(frozen=True, slots=True)
class Design:
    """Emitted files and what a caller must know to run them."""

    name: str
    """Name of the graph."""
    files: tuple[tuple[str, str], ...]
    """Pairs (path in the project, text)."""
    top: str
    """Name of the top function; its file is ``<top>.cpp``."""
    ports: tuple[tuple[str, str], ...]
    """Pairs (array, C++ name) of the arrays that the top function takes, in its order. Data files
    are called by the C++ name."""
    schedule_sha256: str
    """Hash of the schedule that the files implement."""
    copies: tuple[tuple[str, str], ...] = ()
    """Pairs (array, original) of ``ports`` that are given what the original is."""
    backend: str = "vitis"
    """Name of the back end that made it; see `streamopt.codegen.design`."""
    findings: tuple[Finding, ...] = ()
    """Findings that the vendor's tool may warn of; see `streamopt.codegen.checks`."""

    def __repr__(self) -> str:
        """Return the name, the back end and the number of files on one line."""
        return f"<Design {self.name} for {self.backend}: {len(self.files)} files>"

    def text(self, path: str) -> str:
        """Return the text of one file; raises KeyError."""
        return dict(self.files)[path]


def design_of(
    scheduled: ScheduledGraph,
    layout: DesignLayout,
    files: Iterable[tuple[str, str]],
    backend: BackendName,
    findings: tuple[Finding, ...] = (),
) -> Design:
    """Return the design of a scheduled graph that has these files."""
    return Design(
        scheduled.graph.name,
        tuple(files),
        layout.top,
        tuple((port.array.name, port.name) for port in layout.boundary),
        schedule_sha256(scheduled.schedule),
        layout.copies,
        backend,
        findings,
    )


LATER = ("steps", "least_cycles", "last_cycles", "straight", "blocks", "block", "again")
"""Fields of plans that schedules did not have at first; they count where they say something."""


def schedule_sha256(schedule: Schedule) -> str:
    """Return the SHA-256 of the schedule as canonical JSON: same decisions, same hash."""
    decisions = asdict(schedule)
    for name in ("rewrites", "ports", "slrs"):  # the hash that schedules had before there were any
        if not decisions[name]:
            del decisions[name]
    for port in decisions.get("ports", ()):
        del port["is_open"]
    if schedule.most_banks is None:
        del decisions["most_banks"]
    for plan in decisions["nodes"]:
        if plan["target_ii"] == 1:
            del plan["target_ii"]
    for plan in (*decisions["nodes"], *decisions["channels"], *decisions.get("ports", ())):
        for name in LATER:
            if not plan.get(name, True):
                del plan[name]
    text = json.dumps(decisions, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def streamopt_version() -> str:
    """Return the version that emits, as it is installed."""
    try:
        return version("streamopt")
    except PackageNotFoundError:
        return "(not installed)"
