"""The programs of the experiment by their names; PolyBench at any size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamopt as so

if TYPE_CHECKING:
    from streamopt.ir.program import Program

__all__ = ["HERE", "NAMES", "STENCILS", "defines", "path_of", "program", "suite"]

HERE = Path(__file__).parent
TOP = HERE.parents[1]
KERNELS = TOP / "tests" / "polybench" / "kernels"
FOLDERS = {"graphs": TOP / "graphs", "pom": TOP / "models" / "kernels", "PolyBench": KERNELS}
SQUARES = ("pom/jacobi_2d", "pom/seidel_2d")
STENCILS = tuple(
    f"pom/{path.stem}" for path in sorted((TOP / "models" / "kernels" / "pom").glob("*.c"))
)
NAMES = (
    *(f"{path.parent.name}/{path.stem}" for path in sorted(FOLDERS["graphs"].glob("*/*.json"))),
    *STENCILS,
    *(f"{path.name}/{path.name}" for path in sorted(KERNELS.iterdir()) if path.is_dir()),
)


def suite(name: str) -> str:
    """Return where a program is: ``graphs``, ``pom`` or ``PolyBench``."""
    folder, _, stem = name.partition("/")
    if folder == stem:
        return "PolyBench"
    return "pom" if folder == "pom" else "graphs"


def path_of(name: str) -> Path:
    """Return the file of a program."""
    ending = ".json" if suite(name) == "graphs" else ".c"
    return FOLDERS[suite(name)] / f"{name}{ending}"


def defines(name: str, size: str = "MEDIUM", element: str = "FLOAT") -> dict[str, str]:
    """Return the macros of a program's C text, none for a graph.

    Parameters
    ----------
    size, element
        Of PolyBench; others are as in experiment.toml.
    """
    match suite(name):
        case "graphs":
            return {}
        case "pom":
            return dict.fromkeys(("N", "T"), "64" if name in SQUARES else "256")
        case _:
            return {f"{size}_DATASET": "", f"DATA_TYPE_IS_{element}": ""}


def program(name: str, size: str = "MEDIUM", element: str = "FLOAT") -> Program:
    """Return a program."""
    return so.load(
        path_of(name),
        options=so.SourceOptions(define=defines(name, size, element), include=[KERNELS]),
    )
