"""The projects that the faults are made in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import streamopt as so

if TYPE_CHECKING:
    from streamopt.codegen.design import Design

__all__ = ["HERE", "PROJECTS", "Source"]

HERE = Path(__file__).parent
TOP = HERE.parents[1]


@dataclass(frozen=True, slots=True)
class Source:
    """A program, and how its project is made."""

    path: str
    level: str
    dsps: int
    ports: str = ""

    def write(self, directory: Path) -> Design:
        """Write the project and return its design."""
        program = so.load(TOP / self.path)
        graph = so.dataflow(program)
        space = so.Space(ports=so.plan_ports(graph, self.ports)) if self.ports else so.Space()
        found = so.solve(graph, level=self.level, dsp=self.dsps, space=space)
        return so.write(program, found.schedule, directory)


PROJECTS = {
    "3mm": Source("graphs/polybench/3mm.json", "opt6", 300),
    "atax": Source("graphs/polybench/atax.json", "opt6", 300),
    "dwsconv_block": Source("graphs/cnns/dwsconv_block.json", "opt6", 300),
    "residual_block": Source("graphs/cnns/residual_block.json", "opt5", 300),
    "multi_head_attention": Source("graphs/transformers/multi_head_attention.json", "opt5", 300),
    "jacobi_2d": Source("results/mutations/programs/jacobi_2d.c", "opt5", 100),
    "gemm, m_axi": Source("graphs/polybench/gemm.json", "opt6", 300, "m_axi"),
    "bicg, axis": Source("graphs/polybench/bicg.json", "opt6", 300, "axis"),
    "layer, int8": Source("results/mutations/programs/layer.c", "opt6", 100),
    "fir, ap_fixed": Source("results/mutations/programs/fir.json", "opt6", 20),
}
