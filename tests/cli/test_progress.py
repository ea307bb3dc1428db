"""The checklist on a terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from streamopt.cli.progress import Board
from streamopt.running.steps import Step, StepEnd
from streamopt.solvers.base import Progress


def board() -> Board:
    shown = Board(list(Step))
    shown.begin(Step.READ)
    shown.end(Step.READ, "blur.c: 2 loop nests")
    shown.begin(Step.GRAPH)
    shown.end(Step.GRAPH, "2 nodes", StepEnd.KEPT)
    shown.begin(Step.SOLVE)
    return shown


def drawn(shown: Board, width: int) -> list[str]:
    console = Console(file=StringIO(), width=width, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(shown)
    return captured.get().splitlines()


@pytest.mark.parametrize("width", [60, 140])
def test_every_step_has_a_line_and_a_mark(width: int) -> None:
    lines = drawn(board(), width)
    assert [line.split()[:2] for line in lines] == [
        *(["✓", "read"], ["=", "graph"], ["▸", "solve"]),
        *(["·", "write"], ["·", "verify"], ["·", "report"]),
    ]
    assert all(len(line) <= width for line in lines)


def test_a_search_shows_its_effort_and_a_bar() -> None:
    shown = board()
    shown.search(Progress(0.0, None, None, 0.0, 20.0))
    shown.search(Progress(5.0, 2000.0, 1500.0, 5.0, 20.0))
    (line,) = (line for line in drawn(shown, 140) if "solve" in line)
    assert "incumbent 2,000, bound 1,500, gap 25.0 %, effort 5 of 20, at most 0 s left" in line
    assert "━" in line
    shown.end(Step.SOLVE, "found", StepEnd.FAILED)
    (line,) = (line for line in drawn(shown, 140) if "solve" in line)
    assert line.split()[0] == "✗"
    assert "━" not in line
