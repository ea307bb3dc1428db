"""The programs of the experiment by their names; PolyBench at any size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamopt as so

if TYPE_CHECKING:
    from streamopt.ir.program import Program

__all__ = ["HERE", "KERNELS", "NAMES", "STENCILS", "path_of", "program", "suite"]

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
KERNELS = HERE.parents[1] / "tests" / "polybench" / "kernels"
FOLDERS = {"graphs": GRAPHS, "programs": HERE, "PolyBench": KERNELS}
STENCILS = tuple(f"programs/{path.stem}" for path in sorted((HERE / "programs").glob("*.c")))
NAMES = (
    *(f"{path.parent.name}/{path.stem}" for path in sorted(GRAPHS.glob("*/*.json"))),
    *STENCILS,
    *(f"{path.name}/{path.name}" for path in sorted(KERNELS.iterdir()) if path.is_dir()),
)


def suite(name: str) -> str:
    """Return where a program is: ``graphs``, ``programs`` or ``PolyBench``."""
    folder, _, stem = name.partition("/")
    if folder == stem:
        return "PolyBench"
    return "programs" if folder == "programs" else "graphs"


def path_of(name: str) -> Path:
    """Return the file of a program."""
    ending = ".json" if suite(name) == "graphs" else ".c"
    return FOLDERS[suite(name)] / f"{name}{ending}"


def program(name: str, size: str = "MINI") -> Program:
    """Return a program; PolyBench is of that size, in single precision."""
    if suite(name) != "PolyBench":
        return so.load(path_of(name))
    defines = {f"{size}_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
    return so.load(path_of(name), defines=defines, include=[KERNELS])
