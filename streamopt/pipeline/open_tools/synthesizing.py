"""Projects in Verilog through open tools: cells of their processes, and bitstreams of boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.codegen.backends.rtl import DESCRIPTION
from streamopt.errors import Diagnostic, VerificationError
from streamopt.files import read_text
from streamopt.options import checked
from streamopt.rtl.boards.description import DesignDescription, OutsideMemory, described
from streamopt.rtl.boards.self_test import self_test_files
from streamopt.synthesis.open_tools.cells import Cells, Family, synthesised
from streamopt.synthesis.open_tools.placed import BOARDS, RoutedBoard, placed
from streamopt.target.resources import Resources
from streamopt.verification.manifest import project_in, read_manifest
from streamopt.verification.scratch import scratch
from streamopt.verification.storage import stored

FOLDER = "board"
"""Of a project, for the files of a board."""


@dataclass(frozen=True, slots=True)
class Synthesised:
    """A design mapped by Yosys.

    Attributes
    ----------
    processes
        Cells by module of a process.
    total
        Of the whole design, with FIFOs and buffers.
    estimates
        By module of a process, and of the top module; nothing for a family without estimates.
    """

    name: str
    family: Family
    top: str
    processes: Mapping[str, Cells]
    total: Cells
    estimates: Mapping[str, Resources]

    def records(self) -> list[dict[str, Any]]:
        """Return one row a module, the top last: cells, and as estimated under ``estimated_``."""
        found: list[dict[str, Any]] = []
        for name, cells in (*self.processes.items(), (self.top, self.total)):
            row = {"module": name, **asdict(cells)}
            if (own := self.estimates.get(name)) is not None:
                row |= {f"estimated_{kind}": getattr(own, kind) for kind in asdict(cells)}
            found.append(row)
        return found


@checked()
def synthesise(
    directory: str | PathLike[str], *, family: str = "xcup", time_limit_s: float = 3600.0
) -> Synthesised:
    """Map a project in Verilog, each module once, and hold its cells against the estimates.

    Parameters
    ----------
    directory
        Of the project.
    family
        ``xcup`` for UltraScale+, ``ecp5``.
    time_limit_s
        Seconds for each run of Yosys.

    Raises
    ------
    VerificationError
        E722 for what is no project, E732 for one that isn't in Verilog, E733 if Yosys fails.
    MissingExtraError
        E890 without Yosys.
    """
    at = project_in(Path(directory))
    design = _described(at)
    kind = Family(family)
    modules = [*design.processes, design.top]
    with scratch("synthesis") as folder:
        sources = [at / name for name in design.sources]
        found = synthesised(sources, modules, kind, folder, time_limit_s)
    total = found.pop(design.top)
    estimates = design.cells if kind is Family.XCUP else dict[str, Resources]()
    return Synthesised(read_manifest(at).graph, kind, design.top, found, total, estimates)


@checked()
def bitstream(
    directory: str | PathLike[str], *, board: str = "ulx3s", time_limit_s: float = 3600.0
) -> RoutedBoard:
    """Place and route a project in Verilog on a board, where it tests itself.

    The test inputs of the project are in its memories. Outputs whose values are known exactly, as
    all of whole numbers are, are compared there. Files are in the project's folder ``board``.

    Parameters
    ----------
    directory
        Of the project.
    board
        The name of its device.
    time_limit_s
        Seconds for each tool.

    Raises
    ------
    VerificationError
        E722 for what is no project, E732 for one that isn't in Verilog, or that a board doesn't
        suit, E733 if a tool fails.
    MissingExtraError
        E890 without Yosys or nextpnr.
    """
    at = project_in(Path(directory))
    files = board_files(at)
    folder = at / FOLDER
    folder.mkdir(exist_ok=True)
    return placed(files, BOARDS[board], folder, time_limit_s)


def board_files(at: Path) -> dict[str, str]:
    """Return the files of a project's design that tests itself, by name; raises as `bitstream`."""
    design = _described(at)
    for memory in design.memories:
        if (
            not memory.packed
            and not memory.is_given
            and [port.is_write for port in memory.ports] != [True]
        ):
            raise _refused(f"array '{memory.name}' is used again after it is written")
    given = {m.name: _given(at, m) for m in design.memories if m.is_given}
    outputs = [memory for memory in design.memories if not memory.is_given]
    found = {memory.name: _exact(at, memory) for memory in outputs}
    exact = {name: values for name, values in found.items() if values is not None}
    files = {name: read_text(at / name) for name in design.sources}
    return files | self_test_files(design, given, exact)


def _described(at: Path) -> DesignDescription:
    read_manifest(at)
    try:
        return described(read_text(at / DESCRIPTION))
    except (OSError, ValueError, KeyError, TypeError):
        raise _refused(f"{at} has no {DESCRIPTION}") from None


def _refused(why: str) -> VerificationError:
    hint = "write the project again with --backend rtl"
    return VerificationError(Diagnostic("E732", f"it can't be synthesised: {why}", hint=hint))


def _given(at: Path, memory: OutsideMemory) -> list[int]:
    """Return the elements of an input, as they are stored."""
    return _bits(np.fromfile(_data(at, memory.name), memory.element.dtype), memory)


def _exact(at: Path, memory: OutsideMemory) -> list[int] | None:
    """Return the elements of an output; None if they aren't known exactly."""
    golden = np.fromfile(_data(at, f"{memory.name}.golden"), "<f8")
    if np.fromfile(_data(at, f"{memory.name}.tolerance"), "<f8").any():
        return None
    return _bits(stored(golden, memory.element), memory)


def _data(at: Path, name: str) -> Path:
    path = at / "data" / f"{name}.bin"
    if not path.is_file():
        raise _refused(f"{path} is missing")
    return path


def _bits(values: NDArray[Any], memory: OutsideMemory) -> list[int]:
    whole = values.view(f"<u{values.dtype.itemsize}").astype(np.uint64)
    return (whole & np.uint64((1 << memory.bits) - 1)).tolist()
