"""Conditions that their own branches change are kept in variables; others stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.instances import instances
from streamopt.transforms.restructure.decisions import with_kept_decisions
from streamopt.transforms.restructure.flat_source import FlatSource
from tests.support.programs.c_nests import lines, source_of

if TYPE_CHECKING:
    from pathlib import Path


def decided(folder: Path, text: str) -> list[str]:
    source = with_kept_decisions(source_of(folder, text))
    return lines(FlatSource(instances(source.body), {v.name: v for v in source.variables}))


def test_branch_that_changes_its_condition(tmp_path: Path) -> None:
    text = """(double x[4], double y[4]) {
        for (int i = 0; i < 4; i++)
            if (x[i] > 0.0) { x[i] = -1.0; y[i] = 2.0; } else x[i] = 1.0; }"""
    assert decided(tmp_path, text) == [
        "decision1 = x[i] > 0",
        "if decision1 != 0: x[i] = -1",
        "if decision1 != 0: y[i] = 2",
        "if decision1 == 0: x[i] = 1",
    ]


def test_affine_parts_stay(tmp_path: Path) -> None:
    text = """(double x[4]) {
        for (int i = 0; i < 4; i++)
            if (i > 0 && x[i - 1] > 0.0) { x[i - 1] = 1.0; x[i] = 2.0; } }"""
    assert decided(tmp_path, text) == [
        "decision1 = i > 0 and x[i - 1] > 0",
        "if i > 0 and decision1 != 0: x[i - 1] = 1",
        "if i > 0 and decision1 != 0: x[i] = 2",
    ]


def test_last_statement_may_change_the_condition(tmp_path: Path) -> None:
    text = """(double x[4], double m[1], double at[1]) {
        for (int i = 0; i < 4; i++)
            if (x[i] > m[0]) { at[0] = i; m[0] = x[i]; } }"""
    assert decided(tmp_path, text) == [
        "if x[i] > m[0]: at[0] = index(i)",
        "if x[i] > m[0]: m[0] = x[i]",
    ]


def test_loop_in_a_branch_runs_more_than_once(tmp_path: Path) -> None:
    text = """(double x[4]) {
        if (x[0] > 0.0) { for (int i = 0; i < 4; i++) x[i] = x[i] - 1.0; } }"""
    assert decided(tmp_path, text)[0] == "decision1 = x[0] > 0"


def test_other_arrays_may_change(tmp_path: Path) -> None:
    text = """(double x[4], double y[4], double decision1) {
        for (int i = 0; i < 4; i++)
            if (x[i] > 0.0) { y[i] = 1.0; y[0] = 2.0; } else y[i] = 3.0; }"""
    assert decided(tmp_path, text) == [
        "if x[i] > 0: y[i] = 1",
        "if x[i] > 0: y[0] = 2",
        "if (x[i] > 0) == 0: y[i] = 3",
    ]


def test_names_are_new(tmp_path: Path) -> None:
    text = "(double x[2], double decision1) { if (x[0] > decision1) { x[0] = 1.0; x[1] = 2.0; } }"
    assert decided(tmp_path, text)[0] == "decision2 = x[0] > decision1"
