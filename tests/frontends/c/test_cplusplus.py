"""C++ that is C in other words is read; other C++ is refused by its name."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import FrontendError
from streamopt.frontends.c import read_c
from tests.support.programs.c_text import written

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.source import Source


def read_cpp(folder: Path, text: str) -> Source:
    return read_c(written(folder, text, "code.cpp"), top="f")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("using T = float; void f(T x[2]) { x[0] = 1; }", "void f(float x[2]) { x[0] = 1; }"),
        ("using namespace std; void f(float x[2]) { x[0] = std::sqrt(x[1]); }",
         "void f(float x[2]) { x[0] = sqrt(x[1]); }"),
        ("void f(float (&x)[2]) { x[0] = int(x[1]) + static_cast<float>(3); }",
         "void f(float x[2]) { x[0] = (int)(x[1]) + (float)(3); }"),
        ("void g(float &v) { v = v + 1; } void f(float x[2]) { g(x[1]); }",
         "void f(float x[2]) { x[1] = x[1] + 1; }"),
        ("void f(float &x, const int &n) { x = x * n; }",
         "void f(float *x, const int n) { *x = *x * n; }"),
        ("void f(float x[2]) { float &v = x[1]; v += 2; }", "void f(float x[2]) { x[1] += 2; }"),
        ("inline constexpr int N = 2; void f(float x[N]) { x[0] = true; }",
         "void f(float x[2]) { x[0] = 1; }"),
        ('extern"C"{ void f(float x[2]) { x[0] = 1; } }', "void f(float x[2]) { x[0] = 1; }"),
        ("struct a { int m[(4 + 1)], n; }; void g(a &v, a *w) {} void f(int x[2]) { x[0] = 1; }",
         "void f(int x[2]) { x[0] = 1; }"),
        ("#include <ap_int.h>\n#include <hls_stream.h>\n#include <hls_vector.h>\n"
         "void f(ap_int<32> n, const ap_uint<8> &m, float x[2]) { x[0] = 1; }",
         "void f(float x[2]) { x[0] = 1; }"),
        ("void f(int x[2], int y) { x[0] = (x[0] & y) + (y & x[1]); }",
         "void f(int x[2], int y) { x[0] = (x[0] & y) + (y & x[1]); }"),
    ],
)  # fmt: skip
def test_cplusplus_is_read_as_c(text: str, same: str, tmp_path: Path) -> None:
    found, wanted = read_cpp(tmp_path, text), read_c(written(tmp_path, same), top="f")
    facts = [[(v.name, v.shape, v.element) for v in s.variables] for s in (found, wanted)]
    assert facts[0] == facts[1]
    values = [[getattr(item, "value", None) for item in s.body] for s in (found, wanted)]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("template <int N>\nvoid g(float x[N]) {}", "2:1", "a template is not supported"),
        ("class C { int run(int x) { return x; } };", "2:1", "a class is not supported"),
        ("namespace n { int a; }", "2:1", "a namespace is not supported"),
        ("void g(hls::stream<float> &in);", "2:8", "hls::stream is not supported"),
        ("struct s { int a; private: int b; };", "2:1", "a class is not supported"),
        ("typedef ap_axiu<32, 1, 1, 1> t;", "2:9", "an AXI stream is not supported"),
        ("void g(std::vector<float> &x);", "2:8", "a container is not supported"),
        ("int g(int x) { auto y = x; return y; }", "2:16", "auto is not supported"),
        ("#include <ap_nothing.h>", "2:None", "header 'ap_nothing.h' is not found"),
        ("void g(float &x) { x = = 1; }", "2:24", "syntax: unexpected '='"),
    ],
)
def test_other_cplusplus_is_refused_by_name(
    text: str, place: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FrontendError) as caught:
        read_cpp(tmp_path, f"// first\n{text}\nvoid f(float x[2]) {{ x[0] = 1; }}\n")
    first = caught.value.diagnostics[0]
    assert first.loc is not None
    assert (f"{first.loc.line}:{first.loc.column}", first.message) == (place, message)
    assert first.hint


def test_types_of_any_width_are_refused_where_they_are_used(tmp_path: Path) -> None:
    with pytest.raises(FrontendError) as caught:
        read_cpp(tmp_path, "void f(ap_fixed<16, 8> s, float x[2]) { x[0] = s; }")
    (problem,) = caught.value.diagnostics
    assert problem.message == "parameter s of type ap_fixed<16, 8> is not supported"
    assert problem.loc is not None
    assert problem.loc.column == 24


@pytest.mark.nightly
@pytest.mark.parametrize("piece", ["struct a ", "( & a ", "struct a{", "using a=", "enum a{b};"])
def test_large_files_are_read_in_linear_time(piece: str, tmp_path: Path) -> None:
    before = time.process_time()
    with pytest.raises(FrontendError):
        read_cpp(tmp_path, piece * (900_000 // len(piece)))
    assert time.process_time() - before < 20
