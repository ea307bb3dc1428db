"""Cells of modules as Yosys maps them: LUTs, flip-flops, DSPs and block RAMs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from streamopt.synthesis.open_tools.tools import YOSYS


class Family(StrEnum):
    """FPGAs that a design is mapped to."""

    XCUP = "xcup"
    """AMD UltraScale+."""
    ECP5 = "ecp5"
    """Lattice ECP5."""


_SYNTHESIS = {
    Family.XCUP: "synth_xilinx -family xcup -noiopad -noclkbuf -flatten",
    Family.ECP5: "synth_ecp5",
}
_LUTS: Mapping[str, float] = {
    **{f"LUT{inputs}": 1 for inputs in range(1, 7)},
    "INV": 1,
    "SRL16E": 1,
    "SRLC32E": 1,
    "RAM32M": 4,
    "RAM32M16": 8,
    "RAM64M": 4,
    "RAM64M8": 8,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM32X1D": 2,
    "CCU2C": 2,
    "TRELLIS_DPR16X4": 4,
}
"""LUTs of a cell; those of memories and shift registers are LUTs too."""
_BRAM18 = {"RAMB18E2": 1, "RAMB36E2": 2, "DP16KD": 1, "PDPW16KD": 1}
_DSPS = {"DSP48E2": 1, "MULT18X18D": 1}
_FLIP_FLOPS = ("FD", "TRELLIS_FF")


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a module, before they are packed into slices."""

    luts: int
    ffs: int
    dsps: int
    bram18: int


def counted(cells: Mapping[str, int]) -> Cells:
    """Return the LUTs, flip-flops and so on that cells are, by the cells' names."""
    return Cells(
        round(sum(_LUTS.get(name, 0) * count for name, count in cells.items())),
        sum(count for name, count in cells.items() if name.startswith(_FLIP_FLOPS)),
        sum(_DSPS.get(name, 0) * count for name, count in cells.items()),
        sum(_BRAM18.get(name, 0) * count for name, count in cells.items()),
    )


def synthesised(
    sources: Sequence[Path],
    modules: Sequence[str],
    family: Family,
    directory: Path,
    time_limit_s: float = 3600.0,
) -> dict[str, Cells]:
    """Return the cells of modules, each mapped alone, with all that is in it.

    Parameters
    ----------
    directory
        Where Yosys writes.

    Raises
    ------
    VerificationError
        E733 if it fails.
    """
    for source in sources:  # a tool in a wheel sees its own directory, and may see no other
        (directory / source.name).write_text(source.read_text())
    read = " ".join(source.name for source in sources)
    lines = [f"read_verilog {read}", "design -save read"]
    for module in modules:
        lines += [
            "design -load read",
            f"{_SYNTHESIS[family]} -top {module}",
            f"tee -q -o {module}.json stat -json",
        ]
    (directory / "synthesis.ys").write_text("\n".join([*lines, ""]))
    YOSYS.run(["-q", "synthesis.ys"], directory, time_limit_s)
    found: dict[str, Cells] = {}
    for module in modules:
        document: Any = json.loads((directory / f"{module}.json").read_text())
        found[module] = counted(document["design"]["num_cells_by_type"])
    return found
