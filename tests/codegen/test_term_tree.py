"""Trees in emitted text, and the check that a reduction has one operator on its recurrence."""

from __future__ import annotations

from math import ceil, log2
from pathlib import Path

import pytest

import streamopt as so
from streamopt.codegen.backends.vitis import emit
from streamopt.codegen.checks import check_text
from streamopt.codegen.names import Names
from streamopt.codegen.processes.term_tree import term_tree
from tests.support.programs.sketches import program, scheduled

GRAPHS = Path(__file__).parents[2] / "graphs"
DOT = program({"x": "input 8 12", "y": "output 8"}, {"dot": "i 8, k 12: y[i] += x[i][k] * x[i][k]"})
LANES = """
static void dot(
    const float x[8][12],
    float y[8]) {
    float y_acc[8];
    for (int k_tile = 0; k_tile < 3; k_tile++) {
        for (int i = 0; i < 8; i++) {
            #pragma HLS pipeline II=1 style=stp
            for (int k_lane = 0; k_lane < 4; k_lane++) {
                #pragma HLS unroll
                const int k = k_tile * 4 + k_lane;
                const float term = x[i][k] * x[i][k];
                const float total = (k == 0 ? 0.0f : y_acc[i]) + term;
                y_acc[i] = total;
                if (k == 11) {
                    y[i] = total;
                }
            }
        }
    }
}
"""


@pytest.mark.parametrize("terms", [2, 3, 5, 6, 7, 8, 25, 205])
def test_all_terms_meet_on_the_shortest_way(terms: int) -> None:
    tree = term_tree([("k", terms)], Names())
    assert tree is not None
    levels, under = [0] * terms, [1] * terms
    for pair in range(tree.combined(lambda left, right: f"{left} + {right}").trip_count):
        levels.append(1 + max(levels[2 * pair], levels[2 * pair + 1]))
        under.append(under[2 * pair] + under[2 * pair + 1])
    assert tree.root == f"terms[{len(levels) - 1}]"
    assert (levels[-1], under[-1]) == (ceil(log2(terms)), terms)


def test_lanes_of_several_loops_have_places_of_their_own() -> None:
    tree = term_tree([("a", 3), ("b", 5), ("c", 2)], Names())
    assert tree is not None
    assert tree.place == "terms[(a * 5 + b) * 2 + c]"
    assert term_tree([], Names()) is None


def kernel(unroll: str, order: str = "k i") -> str:
    return emit(scheduled(DOT, {"dot": order}, {"dot": unroll})).text("sketch.cpp")


def test_one_operator_is_on_the_recurrence() -> None:
    text = kernel("k 4")
    assert "terms[4 + pair] = terms[2 * pair] + terms[2 * pair + 1];" in text
    assert "const float total = (k_tile == 0 ? 0.0f : y_acc[i]) + terms[6];" in text
    assert "fadd_fabric((k_tile == 0 ? 0.0f : y_acc[0]), terms[6])" in kernel("k 4", "i k")
    whole = kernel("k 12")
    assert "y[i] = terms[22];" in whole
    assert "_acc" not in whole


def codes(text: str) -> set[str]:
    return {finding.code for finding in check_text(text)}


def test_chains_are_found() -> None:
    assert codes(kernel("k 4")) == set()
    assert codes(LANES) == {"E624"}
    assert codes(LANES.replace("y_acc[i]) + term;", "y_acc[i]) + terms[6];")) == {"E624"}
    chained = kernel("k 4").replace(" + terms[6];", " + terms[0] + terms[1];")
    (found,) = check_text(chained)
    assert str(found.diagnostic).startswith("E624 an iteration combines 2 terms with y_acc one")
    named = kernel("k 4").replace("y_acc[i]) + terms[6];", "y_acc[i]) + terms[4];")
    more = named.replace("y_acc[i] = total;", "const float more = total + terms[5];\n"
                         "y_acc[i] = more;")  # fmt: skip
    assert codes(more) == {"E624"}


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = max(y[i], x[i][k])",
        "y[i] *= x[i][k]",
        "y[i] += x[i][k] if k > i else 0",
        "y[i] = min(y[i], x[i][k] + 1.5 * x[i][0])",
    ],
)
@pytest.mark.parametrize("element", ["float", "int16_t", "ap_fixed<16,6>"])
def test_other_reductions_are_trees_too(body: str, element: str) -> None:
    if element != "float" and ("*" in body or "if" in body):
        return
    source = program(
        {"x": f"input 8 12 {element}", "y": f"output 8 {element}"}, {"n": f"i 8, k 12: {body}"}
    )
    text = emit(scheduled(source, {}, {"n": "k 4"})).text("sketch.cpp")
    assert "terms[2 * pair]" in text
    assert codes(text) == set()


def test_recurrences_of_the_source_are_no_finding(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(
        "void f(float a[64]) { for (int t = 0; t < 4; t++) for (int i = 1; i < 63; i++)"
        " a[i] = (a[i - 1] + a[i] + a[i + 1]) * 0.3f; }"
    )
    graph = so.dataflow(so.load(tmp_path / "f.c"))
    made = so.emit(graph, so.solve(graph, level="opt1").schedule)
    assert not [finding for finding in made.findings if finding.code == "E624"]
