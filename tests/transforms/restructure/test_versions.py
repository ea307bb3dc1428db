"""Versions of arrays, groups of statements in order, and the names that users see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import LegalityError
from streamopt.ir.program import Role
from streamopt.transforms.restructure.distribute import distributed
from tests.support.programs.c_nests import body_of, nests, program_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("body", "groups"),
    [
        ("s[j] = s[j] + A[i][j]; q[i] = q[i] + A[i][j];", ((0,), (1,))),
        ("s[j] = q[i] + 1.0; q[i] = s[j] * 2.0;", ((0, 1),)),
        ("q[i] = s[j]; s[j] = 1.0; A[i][j] = 2.0;", ((0, 1), (2,))),
        ("A[i][j] = s[j]; q[i] = q[i] + A[i][j]; s[j] = s[j] * q[i];", ((0, 1, 2),)),
    ],
)
def test_statements_on_a_circle_stay_together(
    body: str, groups: tuple[tuple[int, ...], ...], tmp_path: Path
) -> None:
    loops = "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++)"
    text = f"(double A[4][4], double s[4], double q[4]) {{ {loops} {{ {body} }} }}"
    assert distributed(body_of(tmp_path, text).statements) == groups


def test_every_write_makes_a_version(tmp_path: Path) -> None:
    text = """(double A[4], double B[4]) {
        for (int i = 0; i < 4; i++) A[i] = A[i] * 2.0;
        for (int i = 0; i < 4; i++) B[i] = B[i] + A[i];
        for (int i = 0; i < 4; i++) A[i] = A[i] - B[i]; }"""
    program = program_of(tmp_path, text)
    assert nests(program) == [
        "stream i<4: A_1[i] = A[i] * 2",
        "stream i<4: B_out[i] = B[i] + A_1[i]",
        "stream i<4: A_out[i] = A_1[i] - B_out[i]",
    ]
    roles = {array.name: array.role for array in program.arrays}
    assert roles == {
        "A": Role.INPUT, "B": Role.INPUT, "A_1": Role.INTERNAL,
        "B_out": Role.OUTPUT, "A_out": Role.OUTPUT,
    }  # fmt: skip


def test_array_that_is_only_written_keeps_its_name(tmp_path: Path) -> None:
    text = "(double A[4], double B[4]) { for (int i = 0; i < 4; i++) A[i] = B[i] * 2.0; }"
    program = program_of(tmp_path, text)
    assert [(array.name, array.role.value) for array in program.arrays] == [
        ("B", "input"),
        ("A", "output"),
    ]


def test_elements_that_stay_make_an_input(tmp_path: Path) -> None:
    text = "(double A[4], double B[4]) { for (int i = 1; i < 4; i++) A[i] = B[i] * 2.0; }"
    assert nests(program_of(tmp_path, text)) == [
        "stream i<4: A_out[i] = B[i] * 2 if i >= 1 else A[i]"
    ]


def test_sequential_groups_update_copies(tmp_path: Path) -> None:
    text = """(double A[8], double B[8]) {
        for (int t = 0; t < 3; t++) {
            for (int i = 1; i < 7; i++) B[i] = A[i - 1] + A[i + 1];
            for (int i = 1; i < 7; i++) A[i] = B[i]; } }"""
    (nest,) = program_of(tmp_path, text).nests
    assert nest.sequential
    assert nest.carries == (("B_out", "B"), ("A_out", "A"))
    assert [s.target.array for s in nest.statements] == ["B_out", "A_out"]
    assert nest.reason.startswith("A[i - 1] is read where an earlier iteration wrote A[")


@pytest.mark.parametrize(
    "body",
    ["double t = A[0];", "for (int i = 4; i < 2; i++) A[i] = 0.0;", ""],
)
def test_nothing_to_see(body: str, tmp_path: Path) -> None:
    with pytest.raises(LegalityError) as raised:
        program_of(tmp_path, f"(double A[4]) {{ {body} }}")
    assert str(raised.value) == (
        "E221 'f' writes no array that its caller sees\n  hint: write an array argument"
    )
