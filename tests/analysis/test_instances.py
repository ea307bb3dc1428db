"""Statements with what is around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.instances import hull_of, may_run
from streamopt.ir.text import expression_text
from tests.support.programs.c_nests import body_of

if TYPE_CHECKING:
    from pathlib import Path


def test_positions_loops_and_guards(tmp_path: Path) -> None:
    text = """(double A[8][8], double s[1]) {
        for (int i = 0; i < 8; i++) {
            s[0] = 0.0;
            for (int j = 0; j < i; j++)
                if (j > 2 && A[i][j] > s[0]) s[0] = A[i][j]; else A[i][j] = 1.0; }
        s[0] = 3.0; }"""
    first, then, otherwise, final = body_of(tmp_path, text).statements
    assert [i.position for i in (first, then, otherwise, final)] == [
        (0, 0),
        (0, 1, 0),
        (0, 1, 1),
        (1,),
    ]
    assert [i.iterators for i in (first, then, final)] == [("i",), ("i", "j"), ()]
    assert [expression_text(guard) for guard in then.guards] == ["j > 2", "A[i][j] > s[0]"]
    assert [expression_text(guard) for guard in otherwise.guards] == [
        "j <= 2 or (A[i][j] > s[0]) == 0"
    ]
    assert [str(access) for access in then.reads] == ["A[i][j]", "s[0]", "A[i][j]"]


def test_hulls(tmp_path: Path) -> None:
    text = """(double A[20]) {
        for (int i = 2; i < 6; i++)
            for (int j = i; j < i + 3; j++)
                for (int k = j; k < 2; k++) A[k] = 0.0; }"""
    (instance,) = body_of(tmp_path, text).statements
    assert hull_of(instance.loops) == {"i": (2, 6), "j": (2, 8), "k": (2, 2)}
    assert not may_run(instance)


def test_contradictions_never_run(tmp_path: Path) -> None:
    text = """(double A[8]) {
        for (int i = 0; i < 8; i++) { if (i < 3) { if (i > 4) A[i] = 0.0; }
            if (A[i] > 1.0) A[i] = 1.0; } A[0] = 2.0; }"""
    assert [*map(may_run, body_of(tmp_path, text).statements)] == [False, True, True]
