"""Half and fixed-point types as front ends read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamopt.errors import FrontendError
from streamopt.formats.graph_json import read_graph_json, write_graph_json
from streamopt.frontends import dsl
from streamopt.frontends.c import read_c
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Cast

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program


def read(element: str, body: str = "y[i] = x[i]") -> Program:
    document: dict[str, Any] = {
        "schema_version": 1,
        "name": "one",
        "arrays": {
            "x": {"shape": [4], "role": "input", "type": element},
            "y": {"shape": [4], "role": "output", "type": element},
        },
        "nodes": [{"name": "n", "loops": {"i": 4}, "body": [body]}],
    }
    return read_graph_json(json.dumps(document), "g.json")


@pytest.mark.parametrize(
    ("written", "element"),
    [
        ("half", "half"),
        ("ap_fixed<16,6>", "ap_fixed<16, 6>"),
        (" ap_fixed < 16 , -2 , AP_RND >", "ap_fixed<16, -2, AP_RND>"),
        ("ap_fixed<8, 8, AP_TRN, AP_WRAP>", "ap_fixed<8, 8>"),
        ("ap_fixed<53, 20, AP_TRN, AP_SAT>", "ap_fixed<53, 20, AP_TRN, AP_SAT>"),
    ],
)
def test_spellings(written: str, element: str) -> None:
    source = read(written)
    assert source.array("x").element == element
    assert source.array("x").element is ElementType(element)
    assert read_graph_json(write_graph_json(source), "g.json").arrays == source.arrays


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("ap_fixed<16>", "write ap_fixed<W, I>"),
        ("ap_fixed<16, 6", "write ap_fixed<W, I>"),
        ("ap_fixed<0, 6>", "a width of 0 bits"),
        ("ap_fixed<54, 6>", "a width of 54 bits is not in 1 .. 53"),
        ("ap_fixed<16, 6, AP_RND_CONV>", "quantisation is AP_TRN or AP_RND, not AP_RND_CONV"),
        ("ap_fixed<16, 6, AP_RND, AP_SAT_SYM>", "overflow is AP_WRAP or AP_SAT"),
        ("ap_fixed<16, 999>", "999 integer bits are out of range"),
        ("ap_ufixed<16, 6>", "known are float"),
        ("float16", "known are float"),
    ],
)
def test_bad_spellings(written: str, words: str) -> None:
    with pytest.raises(FrontendError) as raised:
        read(written)
    first = raised.value.diagnostics[0]
    assert first.code == "E118"
    assert words in first.message
    assert str(first.loc) == "g.json:arrays.x.type"


def test_a_cast_in_a_statement() -> None:
    source = read("ap_fixed<16, 6>", "y[i] = ap_fixed(float(x[i]) * 2, 12, 4, AP_RND)")
    value = source.nests[0].statements[0].value
    assert isinstance(value, Cast)
    assert value.element == "ap_fixed<12, 4, AP_RND>"
    assert read_graph_json(write_graph_json(source), "g.json").nests == source.nests
    with pytest.raises(FrontendError, match="E118 ap_fixed<130, 4> is no element type"):
        read("float", "y[i] = ap_fixed(x[i], 130, 4)")


def test_python_programs() -> None:
    p = dsl.program("numbers")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4, element="ap_fixed<16,6>")
    h = p.input("h", 4, element="float16")
    w = p.weight("w", values=np.full(4, 0.25), element="ap_fixed<8,2>")
    p.output("y", i, x[i] * w[i] + 0.5, element="ap_fixed<16,6>")
    p.output("z", i, h[i] * dsl.cast(x[i], "half"))
    source = p.build()
    assert [source.array(name).element for name in "xhwyz"] == [
        "ap_fixed<16, 6>",
        "half",
        "ap_fixed<8, 2>",
        "ap_fixed<16, 6>",
        "half",
    ]


def test_a_bad_type_in_python() -> None:
    p = dsl.program("bad")
    p.input("x", 4, element="ap_fixed<99,6>")
    with pytest.raises(FrontendError, match=r"1 \.\. 53"):
        p.build()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("code.c", "void f(_Float16 a[4], _Float16 b[4]) {{{0}}}"),
        ("code.cpp", "#include <hls_half.h>\nvoid f(const half a[4], half b[4]) {{{0}}}"),
    ],
)
def test_half_in_c(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text.format("for (int i = 0; i < 4; i++) b[i] = a[i] * a[i];"))
    source = read_c(path)
    assert {variable.element for variable in source.variables} == {ElementType.HALF}
