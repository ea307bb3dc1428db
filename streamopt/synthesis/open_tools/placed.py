"""A design placed and routed on an ECP5 board, as a bitstream, with the clock that it reaches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from streamopt.synthesis.open_tools.tools import ECPPACK, NEXTPNR, YOSYS


@dataclass(frozen=True, slots=True)
class Ecp5Board:
    """A board with an ECP5, and its pins."""

    name: str
    part: tuple[str, ...]
    """Options of nextpnr."""
    clock_mhz: float
    pins: Mapping[str, str]
    """Sites of the ports ``clk``, ``button`` and ``lamps``."""


BOARDS: Mapping[str, Ecp5Board] = MappingProxyType(
    {
        "ulx3s": Ecp5Board(
            "ulx3s",
            ("--85k", "--package", "CABGA381", "--speed", "6"),
            25.0,
            {
                "clk": "G2",
                "button": "R1",
                **{
                    f"lamps[{at}]": site
                    for at, site in enumerate(("B2", "C2", "C1", "D2", "D1", "E2", "E1", "H3"))
                },
            },
        )
    }
)
"""By name. Pins of the ULX3S: its constraints file (emard/ulx3s, doc/constraints/ulx3s_v20.lpf)."""


@dataclass(frozen=True, slots=True)
class RoutedBoard:
    """A design on a board."""

    bitstream: Path
    fmax_mhz: float
    clock_mhz: float
    """Of the board."""
    used: Mapping[str, tuple[int, int]]
    """Cells used, and how many there are, by kind."""


def constraints(board: Ecp5Board) -> str:
    """Return the constraints of a board's pins and clock."""
    lines = [f'FREQUENCY PORT "clk" {board.clock_mhz:g} MHZ;']
    for port, site in board.pins.items():
        pull = "DOWN" if port == "button" else "NONE"
        lines.append(f'LOCATE COMP "{port}" SITE "{site}";')
        lines.append(f'IOBUF PORT "{port}" PULLMODE={pull} IO_TYPE=LVCMOS33;')
    return "\n".join([*lines, ""])


def placed(
    files: Mapping[str, str], board: Ecp5Board, directory: Path, time_limit_s: float
) -> RoutedBoard:
    """Return a design on a board; all that is made is in a directory.

    Parameters
    ----------
    files
        Text by name: Verilog with the module ``board``, and the words of its memories.

    Raises
    ------
    VerificationError
        E733 if a tool fails: also where the design has no room.
    """
    for name, text in files.items():
        (directory / name).write_text(text)
    (directory / "board.lpf").write_text(constraints(board))
    sources = " ".join(name for name in files if name.endswith(".v"))
    script = [f"read_verilog {sources}", "synth_ecp5 -top board -json board.json"]
    (directory / "board.ys").write_text("\n".join([*script, ""]))
    YOSYS.run(["-q", "board.ys"], directory, time_limit_s)
    options = ["--json", "board.json", "--lpf", "board.lpf", "--textcfg", "board.config"]
    options += ["--report", "report.json", "--timing-allow-fail", "--seed", "1", "-q"]
    NEXTPNR.run([*board.part, *options], directory, time_limit_s)
    ECPPACK.run(["--compress", "board.config", "board.bit"], directory, time_limit_s)
    report: Any = json.loads((directory / "report.json").read_text())
    achieved = [float(clock["achieved"]) for clock in report["fmax"].values()]
    used = {
        str(kind): (int(row["used"]), int(row["available"]))
        for kind, row in report["utilization"].items()
        if int(row["used"])
    }
    return RoutedBoard(directory / "board.bit", min(achieved), board.clock_mhz, used)
