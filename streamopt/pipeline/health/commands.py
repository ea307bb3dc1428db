"""Programs outside Python: compilers, viewers and vendors' tools."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.pipeline.health.check import Check, Group, State

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["commands"]

SECONDS = 20.0
"""For a program to tell its version; some vendors' tools take long to start."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program by the names that it goes by, what it is for, and how one gets it."""

    group: Group
    names: tuple[str, ...]
    purpose: str
    fix: str
    option: str = "--version"
    home: str = ""
    """Environment variable of the folder under which it lies, too."""
    serves_a_verb: bool = True


AMD = "https://www.amd.com/en/support/downloads.html"
PROGRAMS = (
    Program(Group.TOOL, ("g++",), "streamopt verify", "apt-get install g++"),
    Program(
        Group.TOOL,
        ("clang++", "clang"),
        "another compiler for streamopt verify",
        "apt-get install clang",
        serves_a_verb=False,
    ),
    Program(
        Group.TOOL,
        ("verilator",),
        "no verb needs it",
        "apt-get install verilator",
        serves_a_verb=False,
    ),
    Program(
        Group.TOOL,
        ("dot",),
        "no verb needs it: report draws graphs",
        "apt-get install graphviz",
        "-V",
        serves_a_verb=False,
    ),
    Program(
        Group.TOOL,
        ("chromium", "chromium-browser", "google-chrome"),
        "reports are tested in it; any browser shows them",
        "apt-get install chromium",
        serves_a_verb=False,
    ),
    Program(
        Group.VENDOR,
        ("vitis-run", "vitis_hls"),
        "Vitis HLS: run_hls.tcl of emitted projects",
        f"install Vitis ({AMD}), then source its settings64.sh",
        home="XILINX_HLS",
        serves_a_verb=False,
    ),
    Program(
        Group.VENDOR,
        ("v++",),
        "Vitis: links kernels to a platform",
        f"install Vitis ({AMD}), then source its settings64.sh",
        home="XILINX_VITIS",
        serves_a_verb=False,
    ),
    Program(
        Group.VENDOR,
        ("xrt-smi", "xbutil"),
        "XRT: runs designs on a board",
        "install XRT (https://github.com/Xilinx/XRT), then source /opt/xilinx/xrt/setup.sh",
        home="XILINX_XRT",
        serves_a_verb=False,
    ),
    Program(
        Group.VENDOR,
        ("tapa", "tapac"),
        "projects of emit --backend tapa",
        "install TAPA (https://tapa.readthedocs.io)",
        serves_a_verb=False,
    ),
)


def commands() -> Iterator[Check]:
    """Yield a check of every program; those that are found are asked for their versions."""
    for program in PROGRAMS:
        found = _find(program)
        if found is None:
            yield _check(program, State.MISSING, "", program.purpose, program.fix)
            continue
        told = _told([found, program.option])
        state = State.OK if told is not None else State.BROKEN
        note = program.purpose if told is not None else f"{found} {program.option} fails"
        fix = "" if told is not None else program.fix
        yield _check(program, state, _version(told or ""), note, fix)


def _check(program: Program, state: State, version: str, note: str, fix: str) -> Check:
    name, needed = program.names[0], program.serves_a_verb
    return Check(program.group, name, state, version, note, fix, serves_a_verb=needed)


def _find(program: Program) -> str | None:
    home = os.environ.get(program.home, "") if program.home else ""
    beside = str(Path(home) / "bin") if home else None
    for name in program.names:
        found = shutil.which(name) or (beside and shutil.which(name, path=beside))
        if found:
            return found
    return None


def _told(command: list[str]) -> str | None:
    """Return what a program says; None if it fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout + done.stderr


def _version(text: str) -> str:
    """Return the first thing in a text that looks like a version."""
    found = re.search(r"\bv?(\d+\.\d+(?:\.\d+)*)", text)
    return found[1] if found else ""
