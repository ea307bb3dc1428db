"""Faults in emitted C++: each is caught by verification, and named."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamopt.codegen.backends.registry import emit
from streamopt.errors import VerificationError
from streamopt.verification.project import write_project
from streamopt.verification.verify import Traced, verify_project
from tests.support.programs.row_sums import DESIGN, KERNEL, LEAST_DEPTH_ELEMS, with_depth
from tests.support.programs.row_sums import ROW_SUMS as FULL
from tests.support.programs.row_sums import ROW_SUMS_PROGRAM as SOURCE

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.codegen.design import Design


def check_design(design: Design, directory: Path) -> None:
    write_project(design, SOURCE, directory / "p")
    verify_project(directory / "p", SOURCE, 60.0, traced=Traced(FULL)).raise_if_failed()


def edited(old: str, new: str, after: str = "static void gemm(") -> Design:
    head, mark, text = DESIGN.text(KERNEL).partition(after)
    assert old in text
    files = dict(DESIGN.files) | {KERNEL: head + mark + text.replace(old, new, 1)}
    return replace(DESIGN, files=tuple(files.items()))


def with_counter(design: Design) -> Design:
    text = design.text(KERNEL).replace(
        "static void turn(", "static int runs = 0;\nstatic void turn("
    )
    return replace(design, files=tuple((dict(design.files) | {KERNEL: text}).items()))


def swapped(first: str, second: str, after: str) -> Design:
    head, mark, text = DESIGN.text(KERNEL).partition(after)
    found = (re.search(first, text), re.search(second, text))
    assert found[0]
    assert found[1]
    between = text[found[0].end() : found[1].start()]
    text = text[: found[0].start()] + found[1][0] + between + found[0][0] + text[found[1].end() :]
    return replace(DESIGN, files=tuple((dict(DESIGN.files) | {KERNEL: head + mark + text}).items()))


def test_design_without_fault_passes(tmp_path: Path) -> None:
    check_design(DESIGN, tmp_path)


FAULTS = {
    "swapped loop": (
        swapped(r"for \(int i .*\{", r"for \(int j_tile .*\{", "static void gemm("),
        r"E716 node 'gemm' writes a wrong token to a_sum\[0\]\[0\] at i = 0, j = 2, k = 7: "
        r"number 1 of 16, a\[0\]\[2\], got ",
    ),
    "FIFO one too shallow": (
        with_depth(LEAST_DEPTH_ELEMS - 1),
        r"E708 the processes wait for each other, a deadlock:(.|\n)*"
        r"gemm waits for room in stream a_scale\[0\]\[1\] \(depth 2\), which scale reads(.|\n)*"
        r"all tokens so far are right; FIFO a_scale\[0\]\[1\] is full with 2 elements, where the "
        r"schedule gives it 16",
    ),
    "missing final write": (
        edited("if (k == 7)", "if (k == 7 && i < 3)"),
        r"E703 a process reads from an empty stream:\n  sum reads from empty stream "
        r"a_sum\[0\]\[0\] \(depth \d+\): gemm has ended(.|\n)*"
        r"E716 node 'gemm' writes 12 tokens of 16 to a_sum\[0\]\[0\], none at i = 3, j = 0, k = 7",
    ),
    "token left out": (
        edited("if (k == 7)", "if (k == 7 && !(i == 1 && j == 2))"),
        r"E708 (.|\n)*hint: what E716 names is the likely cause: a guard or loop bound (.|\n)*"
        r"E716 .* to a_sum\[0\]\[0\] at i = 1, j = 2, k = 7: .*: it is left out",
    ),
    "surplus write": (
        edited("if (k == 7)", "if (k == 7 || (i == 3 && j == 7 && k == 6))"),
        r"E708 (.|\n)*E716 node 'gemm' writes a wrong token to a_sum\[0\]\[1\] at i = 3, j = 7",
    ),
    "wrong tile": (
        edited("j_tile * 2 + j_lane", "j_tile + 4 * j_lane"),
        r"E716 node 'gemm' writes a wrong token to a_sum\[0\]\[1\] at i = 0, j = 1, k = 7",
    ),
    "wrong index": (
        edited("x[i][k]", "x[3 - i][k]"),
        r"E716 node 'gemm' writes a wrong token to a_sum\[0\]\[\d\] at i = 0, j = \d, k = 7",
    ),
    "early use": (
        edited("j_tile == 0 && j_lane == 0", "j_tile == 0 && j_lane == 1", "static void scale("),
        r"E716 node 'scale' writes a wrong element to buffer t at i = 0, j = 0: t\[0\]\[0\], got",
    ),
    "dropped accumulation": (
        edited("a_acc[0][j_lane] = total;", "a_acc[0][j_lane] = term;"),
        r"E716 node 'gemm' writes a wrong token to a_sum\[0\]\[0\] at i = 0, j = 0, k = 7",
    ),
    "dropped start": (
        edited("(k == 0 ? 0.0f : a_acc[0][j_lane])", "a_acc[0][j_lane]"),
        r"E716 node 'gemm' writes a wrong token to a_sum\[0\]\[0\] at i = 0, j = 2, k = 7",
    ),
    "kept from run to run": (
        with_counter(
            edited("+ 1.0f;", "+ (runs < 32 ? 1.0f : 2.0f), runs++;", "static void turn(")
        ),
        r"E709 .*FAIL y of a later run: (.|\n)*32 wrong, first y\[0\]\[0\]: got ",
    ),
    "wrong output": (
        edited("+ 1.0f", "+ (i == 2) + 0.0f", "static void turn("),
        r"E709 .*(.|\n)*E716 node 'turn' writes a wrong output at i = 0, j = 0: y\[0\]\[0\], got",
    ),
    "swapped processes at a stream": (
        swapped(r"\bgemm\(.*;", r"\bsum\(.*;", "#pragma HLS dataflow"),
        r"E714 .*:\n  sum is called before gemm, which writes its stream a_sum\[0\]\[0\]",
    ),
    "swapped processes at a buffer": (
        swapped(r"\bscale\(.*;", r"\bturn\(.*;", "#pragma HLS dataflow"),
        r"E714 .*:\n  turn is called before scale, which fills its buffer t",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_caught_and_named(fault: str, tmp_path: Path) -> None:
    design, message = FAULTS[fault]
    with pytest.raises(VerificationError, match=message):
        check_design(design, tmp_path)


def test_consumer_in_another_order_is_caught(tmp_path: Path) -> None:
    """As a schedule that skips the legality checks would have it."""
    nodes = tuple(
        replace(node, loops=node.loops[::-1]) if node.node.name == "sum" else node
        for node in FULL.nodes
    )
    with pytest.raises(VerificationError, match=r"E716 node 'sum' writes a wrong token to s\[0\]"):
        check_design(emit(replace(FULL, nodes=nodes)), tmp_path)
