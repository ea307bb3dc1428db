"""Every element type through emitted code, with all that is handed over compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.codegen.backends.registry import emit
from streamopt.ir.element import ElementType
from streamopt.verification.project import write_project
from streamopt.verification.verify import Traced, verify_project
from tests.support.programs.sketches import program, scheduled

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program


def products() -> Program:
    """One product of a matrix and a vector in each type, scaled by a second node."""
    arrays: dict[str, str] = {}
    nodes: dict[str, str] = {}
    for at, element in enumerate(ElementType):
        arrays |= {
            f"A{at}": f"input 4 6 {element}",
            f"x{at}": f"input 6 {element}",
            f"t{at}": f"internal 4 {element}",
            f"y{at}": f"output 4 {element}",
        }
        nodes[f"product{at}"] = f"i 4, k 6: t{at}[i] += A{at}[i][k] * x{at}[k]"
        nodes[f"scaled{at}"] = f"i 4: y{at}[i] = t{at}[i] * 3 + 1"
    return program(arrays, nodes)


@pytest.mark.parametrize("backend", ["vitis", "native"])
def test_all_types(backend: str, tmp_path: Path) -> None:
    source = products()
    graph = scheduled(source, {}, {"product0": "i 2", "scaled0": "i 2"}, ping_pong=("t3",))
    write_project(emit(graph, backend), source, tmp_path / "p")
    verdict = verify_project(tmp_path / "p", source, traced=Traced(graph, always=True))
    verdict.raise_if_failed()
    assert len(verdict.outputs) == len(ElementType)
    assert all(output.max_error == 0.0 for output in verdict.outputs)
