"""Private variables: split, put in, expanded; and where the passes must not act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.transforms.restructure.scalars import (
    expand_variables,
    split_variables,
)
from streamopt.transforms.restructure.substitution import forward_substitution
from tests.support.programs.c_nests import body_of, lines

if TYPE_CHECKING:
    from pathlib import Path


def test_unconnected_uses_get_names_of_their_own(tmp_path: Path) -> None:
    text = """(double A[4], double B[4], double C[4]) {
        double t[4];
        for (int i = 0; i < 4; i++) t[i] = C[i];
        for (int i = 0; i < 4; i++) A[i] = t[i] * 2.0;
        for (int i = 0; i < 4; i++) t[i] = C[i] + 1.0;
        for (int i = 0; i < 4; i++) B[i] = t[i];
        for (int i = 0; i < 4; i++) t[i] = C[i] + 2.0;
        for (int i = 0; i < 4; i++) A[i] = t[i]; }"""
    split = split_variables(body_of(tmp_path, text))
    targets = [instance.target.array for instance in split.statements]
    assert targets == ["t", "A", "t_2", "B", "t_3", "A"]
    assert [i.reads[0].array for i in split.statements] == ["C", "t", "C", "t_2", "C", "t_3"]


def test_connected_uses_keep_one_name(tmp_path: Path) -> None:
    text = """(double A[4], double B[4]) {
        double t = 0.0;
        for (int i = 0; i < 4; i++) { A[i] = t; t = B[i]; } }"""
    body = body_of(tmp_path, text)
    assert split_variables(body) == body


def test_arguments_are_not_split(tmp_path: Path) -> None:
    text = """(double A[4], double t[1]) {
        t[0] = 1.0; A[0] = t[0]; t[0] = 2.0; A[1] = t[0]; }"""
    body = body_of(tmp_path, text)
    assert split_variables(body) == body


def test_values_are_put_in_where_no_operation_repeats(tmp_path: Path) -> None:
    text = """(double A[4], float b[4]) {
        for (int i = 0; i < 4; i++) { double t = b[i]; float u = A[i] * 2.0; A[i] = t + u; } }"""
    found = lines(forward_substitution(body_of(tmp_path, text)))
    assert found == ["A[i] = double(b[i]) + float(A[i] * 2)"]


def test_operations_are_not_repeated(tmp_path: Path) -> None:
    text = (
        """(double A[4]) { for (int i = 0; i < 4; i++) { double t = A[i] * 2.0; A[i] = t * t; } }"""
    )
    body = body_of(tmp_path, text)
    assert forward_substitution(body) == body


def test_operands_must_not_change_in_between(tmp_path: Path) -> None:
    text = """(double A[4], double B[4]) {
        for (int i = 0; i < 4; i++) { double t = A[i]; A[i] = 0.0; B[i] = t; } }"""
    body = body_of(tmp_path, text)
    assert forward_substitution(body) == body


def test_private_scalar_gets_a_dimension(tmp_path: Path) -> None:
    text = """(double A[6], double B[6][3]) {
        for (int i = 2; i < 6; i++) {
            double s = 0.0;
            for (int j = 0; j < 3; j++) s += B[i][j];
            A[i] = s; } }"""
    grown = expand_variables(body_of(tmp_path, text))
    assert lines(grown)[:2] == ["s[i - 2] = 0", "s[i - 2] = s[i - 2] + B[i][j]"]
    assert grown.variables["s"].shape == (4,)


def test_array_that_iterations_share_no_element_of_stays_as_it_is(tmp_path: Path) -> None:
    text = """(double A[6], double B[6][3]) {
        double s[6];
        for (int i = 0; i < 6; i++) {
            s[i] = 0.0;
            for (int j = 0; j < 3; j++) s[i] += B[i][j];
            A[i] = s[i] > 0.0 ? s[i] : 0.0; } }"""
    body = body_of(tmp_path, text)
    assert expand_variables(body) == body


def test_array_grows_by_the_loops_whose_iterations_share_elements(tmp_path: Path) -> None:
    text = """(double A[4][6], double B[4][6]) {
        double s[6];
        for (int t = 0; t < 4; t++)
            for (int i = 0; i < 6; i++) { s[i] = B[t][i]; s[i] *= s[i]; A[t][i] = s[i]; } }"""
    grown = expand_variables(body_of(tmp_path, text))
    assert grown.variables["s"].shape == (4, 6)


def test_value_that_crosses_iterations_gets_none(tmp_path: Path) -> None:
    text = """(double A[4], double B[4]) {
        double t = 0.0;
        for (int i = 0; i < 4; i++) { A[i] = t; t = B[i]; } }"""
    body = body_of(tmp_path, text)
    assert expand_variables(body) == body


def test_huge_expansions_are_not_made(tmp_path: Path) -> None:
    text = """(double A[5000][5000]) {
        for (int i = 0; i < 5000; i++) for (int j = 0; j < 5000; j++) {
            double t = A[i][j]; A[i][j] = t * t; } }"""
    body = body_of(tmp_path, text)
    assert expand_variables(body).variables["t"].shape == ()
