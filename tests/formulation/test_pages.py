"""The pages of mathematics and the constraints in code number the same equations."""

from __future__ import annotations

import re
from pathlib import Path

import streamopt as so
from streamopt.formulation.compact import model as compact
from streamopt.formulation.paper import model as paper
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Interval
from streamopt.space.rows import node_rows

TOP = Path(__file__).parents[2]
GRAPH = so.dataflow(so.load(TOP / "graphs" / "polybench" / "3mm.json"))


def on_page(name: str, prefix: str) -> set[str]:
    text = (TOP / "models" / "formulations" / name).read_text(encoding="utf-8")
    return set(re.findall(rf"^- \(({prefix}\d+)\)", text, re.MULTILINE))


def test_compact_equations() -> None:
    level = LEVELS[LevelName.OPT4]
    space = decision_space(GRAPH, SpaceOptions(level, dsp_limit=2560, tiling_limit=16))
    program = compact.build(
        space, node_rows(space), horizon_cycles=10**8, untiled_limit_cycles=10**8
    )
    paced = compact.build(space, node_rows(space), horizon_cycles=10**8, objective=Interval())
    tags = [*program.formulation.tags.values(), *paced.formulation.tags.values()]
    assert {tag.equation for tag in tags} == on_page("compact.md", "C")


def test_paper_equations() -> None:
    level = LEVELS[LevelName.OPT5]
    space = decision_space(GRAPH, SpaceOptions(level, dsp_limit=2560, tiling_limit=16))
    program = paper.build(space, horizon_cycles=10**8)
    assert {tag.equation for tag in program.formulation.tags.values()} == on_page("paper.md", "")


def test_every_constraint_has_a_tag() -> None:
    level = LEVELS[LevelName.OPT5]
    space = decision_space(GRAPH, SpaceOptions(level, dsp_limit=2560, tiling_limit=16))
    formulation = compact.build(space, node_rows(space), horizon_cycles=10**8).formulation
    assert {row.name for row in formulation.model.rows.values()} == set(formulation.tags)
    subjects = {tag.subject for tag in formulation.tags.values() if tag.family == "fifo_order"}
    assert subjects == {"E", "F"}


def test_equations_of_opt6_that_code_names() -> None:
    texts = (path.read_text(encoding="utf-8") for path in (TOP / "streamopt").rglob("*.py"))
    named = {tag for text in texts for tag in re.findall(r"\((O\d+)\)", text)}
    assert len(named) > 5
    assert named <= on_page("opt6.md", "O")


def test_equations_of_ports_that_code_names() -> None:
    places = (
        "perf/pipelines/bandwidth.py",
        "evaluation/boundary_ports.py",
        "evaluation/open_channels.py",
    )
    files = (TOP / "streamopt" / place for place in places)
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    assert set(re.findall(r"\((B\d+)\)", text)) == on_page("ports.md", "B")
