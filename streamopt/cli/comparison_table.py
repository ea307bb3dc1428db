"""The table of ``streamopt compare``: its columns and cells, from rows."""

from __future__ import annotations

from collections.abc import Sequence

from streamopt.cli.tables import proof_words
from streamopt.report.record import Row
from streamopt.target.device import Target

RATIOS = ("model", "simulated", "interval", "faster", "of MAC line", "DSPs", "seconds", "proof")
BESIDE = ("simulated", "measured", "faster", "DSPs", "DSP %", "LUTs", "LUT %", "BRAM18", "BRAM %")
"""Columns where designs of others are among the rows, behind the names; then the proof."""


def comparison_table(
    rows: Sequence[Row], device: Target
) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the columns that say which row is which, the lines of cells, and the other columns.

    Each design is compared with the first. Shares are of the whole device.
    """
    words = _words(rows)
    beside = any(row.get("measured_cycles") or _is_foreign(row) for row in rows)
    done = [int(row["simulated_cycles"]) for row in rows if row.get("simulated_cycles")]
    first = done[0] if done else 0
    columns = [*BESIDE, "proof"] if beside else [*RATIOS]
    lines = [
        [*_names(row, words), *(_beside(row, first, device) if beside else _cells(row, first))]
        for row in rows
    ]
    return words, lines, columns


def _is_foreign(row: Row) -> bool:
    """Return whether a row is a design that was read, of no strategy of ours."""
    return bool(row.get("design_seconds")) and not row.get("estimated_cycles")


def _words(rows: Sequence[Row]) -> list[str]:
    several = [
        column
        for column, member in (("DSP limit", "dsp_limit"), ("solver", "solver"))
        if len({row.get(member) or "" for row in rows} - {""}) > 1
    ]
    return ["level" if all(row.get("level") for row in rows) else "way", *several]


def _names(row: Row, words: Sequence[str]) -> list[str]:
    which = {
        "DSP limit": str(row["dsp_limit"]),
        "solver": str(row.get("solver") or "-"),
        words[0]: str(row.get("level") or row["strategy"]),
    }
    return [which[word] for word in words]


def _proof(row: Row) -> str:
    return proof_words(row, names_model=False) if row.get("level") else "none"


def _cells(row: Row, first_cycles: int) -> list[str]:
    """Return the cells of a row; ``first_cycles`` are those that others are compared with."""
    roofline = int(row["roofline_cycles"])
    if not row.get("simulated_cycles"):
        return [*"-" * (len(RATIOS) - 1), f"refused: {row['message']}"]
    cycles = int(row["simulated_cycles"])
    model = str(row.get("objective_cycles") or row.get("estimated_cycles") or "-")
    took = row.get("solve_seconds") if row.get("level") else row.get("design_seconds")
    return [
        *(model, str(cycles), str(row["interval_cycles"])),
        f"{first_cycles / max(1, cycles):.1f}x",
        f"{cycles / roofline:.2f}x" if roofline else "-",
        *(str(row["dsps"]), f"{float(took or 0):.2f}", _proof(row)),
    ]


def _beside(row: Row, first_cycles: int, device: Target) -> list[str]:
    if not row.get("simulated_cycles"):
        return [*"-" * len(BESIDE), f"refused: {row['message']}"]
    cycles, whole = int(row["simulated_cycles"]), device.total
    amounts = (("dsps", whole.dsps), ("lut", whole.luts), ("bram18", whole.bram18))
    shares = [
        cell
        for member, all_of in amounts
        for cell in (str(row[member]), f"{100 * int(row[member]) / max(1, all_of):.1f}")
    ]
    measured = str(row.get("measured_cycles") or "-")
    faster = f"{first_cycles / max(1, cycles):.2f}x"
    return [str(cycles), measured, faster, *shares, _proof(row)]


def conditions(rows: Sequence[Row], name: str, device: Target) -> str:
    """Return the caption of a table for a paper: the conditions of its numbers."""
    from streamopt import __version__

    limits = " and ".join(dict.fromkeys(str(row["dsp_limit"]) for row in rows if row.get("level")))
    by = [*dict.fromkeys(str(row["measured_by"]) for row in rows if row.get("measured_by"))]
    parts = [
        f"{name} on {device.name} at {device.clock_ns:g} ns",
        f"levels of streamopt {__version__} with {limits} DSPs" if limits else "",
        "cycles of all designs by one simulator, resources by one model",
        f"measured cycles by {' or '.join(by)}, as the design's folder says" if by else "",
        "arguments lie in memory beside the design",
    ]
    return "; ".join(part for part in parts if part) + "."
