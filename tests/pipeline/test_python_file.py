"""Programs of `streamopt.dsl` in a user's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import streamopt as so

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
import streamopt as so

def scaled(n=8):
    p = so.dsl.program("scaled")
    (i,) = p.iterators(i=n)
    a = p.input("a", n)
    p.output("y", (i,), a[i] * 2.0)
    return p
"""


@pytest.mark.parametrize(
    ("more", "name"),
    [("", ":scaled"), ("p = scaled()", ""), ("p = scaled()\nprogram = p.build()", ":p")],
)
def test_a_program_of_a_file_is_read(tmp_path: Path, more: str, name: str) -> None:
    (tmp_path / "own.py").write_text(f"{TEXT}\n{more}\n")
    program = so.load(f"{tmp_path / 'own.py'}{name}")
    assert (program.name, len(program.nests)) == ("scaled", 1)


def test_one_of_several_has_to_be_named(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(f"{TEXT}\np, q = scaled(), scaled()\n")
    with pytest.raises(so.StreamoptError, match=r"E165 the file defines several: p, q\n.*own.py:p"):
        so.load(tmp_path / "own.py")


def test_a_file_without_programs_says_what_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("x = 1\n")
    with pytest.raises(so.StreamoptError, match=r"E165 the file defines no name for a torch"):
        so.load(tmp_path / "own.py")


def test_problems_of_a_program_are_told_at_its_lines(tmp_path: Path) -> None:
    wrong = TEXT.replace("a[i] * 2.0", "a[i + 1] * 2.0")
    (tmp_path / "own.py").write_text(wrong)
    with pytest.raises(so.StreamoptError, match=r"own\.py:8: E18"):
        so.load(f"{tmp_path / 'own.py'}:scaled")
