"""Cells of modules as Yosys maps them: LUTs, flip-flops, DSPs and block RAMs."""

from __future__ import annotations

import json
from collections import Counter
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
    Family.XCUP: "synth_xilinx -family xcup -noiopad -noclkbuf",
    Family.ECP5: "synth_ecp5 -noflatten",
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
    """Return the cells of modules, each with all that is in it.

    A module is mapped once, however often it is there, and nothing is moved across its border. The
    last one contains the others.

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
    lines = [
        f"read_verilog {read}",
        f"{_SYNTHESIS[family]} -top {modules[-1]}",
        "tee -q -o cells.json stat -json",
    ]
    (directory / "synthesis.ys").write_text("\n".join([*lines, ""]))
    YOSYS.run(["-q", "synthesis.ys"], directory, time_limit_s)
    document: Any = json.loads((directory / "cells.json").read_text())
    own = {
        name.removeprefix("\\"): dict[str, int](module["num_cells_by_type"])
        for name, module in document["modules"].items()
    }
    known: dict[str, Counter[str]] = {}
    return {name: counted(_with_inner(name, own, known)) for name in modules}


def _with_inner(
    name: str, own: Mapping[str, Mapping[str, int]], known: dict[str, Counter[str]]
) -> Counter[str]:
    """Return the cells of a module and of the modules in it."""
    if name not in known:
        known[name] = Counter()
        for kind, count in own[name].items():
            inner = _with_inner(kind, own, known) if kind in own else Counter({kind: 1})
            known[name].update({cell: count * each for cell, each in inner.items()})
    return known[name]
