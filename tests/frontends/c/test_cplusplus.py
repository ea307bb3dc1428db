"""C++ that is C in other words is read; other C++ is refused by its name."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.errors import FrontendError
from streamopt.frontends.c import read_c
from streamopt.pipeline import SourceOptions, interpret, load
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
         "void f(float x[2]) { x[0] = sqrtf(x[1]); }"),
        ("void f(float (&x)[2]) { x[0] = int(x[1]) + static_cast<float>(3); }",
         "void f(float x[2]) { x[0] = (int)(x[1]) + (float)(3); }"),
        ("void g(float &v) { v = v + 1; } void f(float x[2]) { g(x[1]); }",
         "void f(float x[2]) { x[1] = x[1] + 1; }"),
        ("void f(float &x, const int &n) { x = x * n; }",
         "void f(float *x, const int n) { *x = *x * n; }"),
        ("void f(float x[2]) { float &v = x[1]; v += 2; }", "void f(float x[2]) { x[1] += 2; }"),
        ("inline constexpr int N = 2; void f(float x[N]) { x[0] = true; }",
         "void f(float x[2]) { x[0] = 1; }"),
        ("namespace { const int n = 2; static_assert(n == 2, \"\"); }"
         " void f(float x[n]) { x[0] = fmaxf(x[1], std::floor(x[0])) / pow(x[1], 2); }",
         "void f(float x[2]) { x[0] = fmaxf(x[1], floorf(x[0])) / pow(x[1], 2); }"),
        ("void g(float (&x)[3]) { for (float &v : x) if (v > 0) v += 2; else { v = 1; } }"
         " void f(float x[1]) { float y[3]; for (auto &v : y) v = x[0]; g(y); x[0] = y[2]; }",
         "void f(float x[1]) { float y[3]; for (int v__at = 0; v__at < 3; v__at++) y[v__at] = x[0];"
         " for (int v__at = 0; v__at < 3; v__at++)"
         " if (y[v__at] > 0) y[v__at] += 2; else y[v__at] = 1; x[0] = y[2]; }"),
        ("#include <array>\nvoid f(float x[2]) { std::array<float, 4> y; const int w[] = {3, 4};"
         " for (int k = 0; k < y.size(); k++) y[k] = x[0]; for (int v : w) x[1] += v * y[0]; }",
         "void f(float x[2]) { float y_v[4]; const int w[] = {3, 4};"
         " for (int k = 0; k < 4; k++) y_v[k] = x[0];"
         " for (int v__at = 0; v__at < 2; v__at++) { int v = w[v__at]; x[1] += v * y_v[0]; } }"),
        ("struct add { template <typename T> static T go(T a, T b) { return a + b; } };"
         "template <class O> float g(float a, float b) { return O::go(a, b); }"
         " void f(float x[2]) { x[0] = g<add>(x[0], x[1]); }",
         "void f(float x[2]) { x[0] = x[0] + x[1]; }"),
        ("#include <ap_int.h>\nvoid f(ap_uint<8> x[2], ap_fixed<8, 4> z[2]) { ap_uint<8> y = x[0];"
         " y.set(3); y.clear(0); y.set_bit(1, x[1].test(2)); y.b_not(); y.rrotate(3); x[0] = y;"
         " x[1] = x[1].or_reduce(); x[1][0] = y.and_reduce(); z[0].range() = y; }",
         '#include <ap_int.h>\nextern "C" void f(ap_uint<8> x[2], ap_fixed<8, 4> z[2]) {'
         " ap_uint<8> y = x[0]; y[3] = 1; y[0] = 0; y[1] = x[1][2]; y = ~y;"
         " y = (y << 7 + 1 - 3) | (y >> 3); x[0] = y; x[1] = x[1].range(7, 0) != 0ULL;"
         " x[1][0] = y.range(7, 0) == 255ULL; z[0].range(7, 0) = y; }"),
        ('extern"C"{ void f(float x[2]) { x[0] = 1; } }', "void f(float x[2]) { x[0] = 1; }"),
        ("struct a { int m[(4 + 1)], n; }; void g(a &v, a *w) {} void f(int x[2]) { x[0] = 1; }",
         "void f(int x[2]) { x[0] = 1; }"),
        ("#include <ap_int.h>\n#include <hls_stream.h>\n#include <hls_vector.h>\n"
         "void f(ap_int<32> n, const ap_uint<8> &m, float x[2]) { x[0] = 1; }",
         "void f(float x[2]) { x[0] = 1; }"),
        ("void f(int x[2], int y) { x[0] = (x[0] & y) + (y & x[1]); }",
         "void f(int x[2], int y) { x[0] = (x[0] & y) + (y & x[1]); }"),
        ("template <typename T, int N = 2> struct p { T a; int n; }; namespace n {"
         " p<float> g(p<float> x) { p<float> y = x; y.n = 2; return y; } }"
         " void f(float x[2]) { p<float> a, b; a.a = x[0]; a.n = 3; b = n::g(a); x[1] = b.a; }",
         "void f(float x[2]) { float a_a; int a_n; float b_a; int b_n; a_a = x[0]; a_n = 3;"
         " float x_a = a_a; int x_n = a_n; float y_a; int y_n; y_a = x_a; y_n = x_n; y_n = 2;"
         " b_a = y_a; b_n = y_n; x[1] = b_a; }"),
    ],
)  # fmt: skip
def test_cplusplus_is_read_as_c(text: str, same: str, tmp_path: Path) -> None:
    found, wanted = read_cpp(tmp_path, text), read_c(written(tmp_path, same), top="f")
    facts = [[(v.name, v.shape, v.element) for v in s.variables] for s in (found, wanted)]
    assert facts[0] == facts[1]
    values = [[getattr(item, "value", None) for item in s.body] for s in (found, wanted)]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("struct s { int a; float b[3]; }; void f(s x[4], const s &y, s *z) {"
         " z->a = x[1].a + y.a; z->b[2] = x[3].b[1]; }",
         {"x_a": (4,), "x_b": (4, 3), "y_a": (), "z_a": (), "z_b": (1, 3)}),
        ("#include <hls_stream.h>\n#include <ap_axi_sdata.h>\n"
         "typedef ap_axiu<32, 1, 1, 1> pkt; void f(hls::stream<pkt> &in, hls::stream<int> &out) {"
         " for (int i = 0; i < 6; i++) { pkt p = in.read(); out.write(p.data + p.last); } }",
         {"in_data": (6,), "in_last": (6,), "out": (6,)}),
        ("int f(const int x[4]) { int sum = 0; for (int i = 0; i < 4; i++) sum += x[i];"
         " return sum; }", {"x": (4,), "ap_return": ()}),
    ],
)  # fmt: skip
def test_arguments_are_members_and_data(
    text: str, names: dict[str, tuple[int, ...]], tmp_path: Path
) -> None:
    arguments = {v.name: v.shape for v in read_cpp(tmp_path, text).variables if v.is_argument}
    assert names.items() <= arguments.items()


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "template <int... N>\nvoid g(float x[8]) {}",
            "2:1",
            "a template of this kind is not supported",
        ),
        (
            "class C { virtual int run(int x) { return x; } };",
            "2:11",
            "virtual in class C is not supported",
        ),
        ("class C : public B { int x; };", "2:1", "class C : public B is not supported"),
        (
            "struct s { int a; operator int() { return a; } };",
            "2:19",
            "operator in class s is not supported",
        ),
        (
            "template <int N> struct a { int x; };\ntemplate <int N> struct a<N *> { int y; };",
            "3:1",
            "a template of this kind is not supported",
        ),
        (
            "template <int N> struct g { float x[N]; }; void h(float x[2]) { g<> y; }",
            "2:65",
            "g is used without its argument N",
        ),
        ("hls::task t(g, x);", "2:1", "hls::task is not supported"),
        ("auto g = [&](int i) { return i; };", "2:10", "a lambda is not supported"),
        ("typedef ap_shift_reg<int, 8> t;", "2:9", "ap_shift_reg is not supported"),
        ("void g(std::vector<float> &x);", "2:8", "std::vector is not supported"),
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


def test_types_that_have_no_counterpart_are_refused_where_they_are_used(tmp_path: Path) -> None:
    with pytest.raises(FrontendError) as caught:
        read_cpp(tmp_path, "void f(ap_fixed<16, 8, AP_RND_INF> s, float x[2]) { x[0] = s; }")
    (problem,) = caught.value.diagnostics
    assert problem.message == "parameter s of type ap_fixed<16, 8, AP, RND, INF> is not supported"
    assert problem.loc is not None
    assert problem.loc.column == 36


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("y[0] = x[0].range(40, 9);", "in pieces that may lie in two words"),
        ("y[0] = x[0] < x[1];", "computes with a number of more than 64 bits"),
        ("x[0] = x[0] + x[1];", "computes with a number of more than 64 bits"),
        ("hls::stream<int> s[4]; s[y[0]].write(1);", "depends on more than a loop"),
        (
            "hls::stream<int> s[4]; for (int i = 0; i < 99999999999999999999; i++) s[i].write(1);",
            "depends on more than a loop",
        ),
        ("hls::stream<int> s[2000]; s[1].write(1);", "is not known, or is more than 256"),
    ],
)
def test_parts_of_long_numbers_and_of_arrays_of_streams_are_known(
    statement: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FrontendError, match=message):
        read_cpp(tmp_path, f"void f(ap_uint<96> x[2], int y[2]) {{ {statement} }}")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "piece",
    [
        *("struct a ", "( & a ", "struct a{", "using a=", "enum a{b};", "namespace a{"),
        *("template <int N> ", "template <int N> void f(int x) {} ", "f<", "cout << a ", "auto a "),
        *("ap_int<", "ap_int<3> a;", "hls::stream<int> a(", "const int a = 1;"),
    ],
)
def test_large_files_are_read_in_linear_time(piece: str, tmp_path: Path) -> None:
    before = time.process_time()
    with pytest.raises(FrontendError):
        read_cpp(tmp_path, piece * (900_000 // len(piece)))
    assert time.process_time() - before < 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("template <int N> void g(float x[2]) { g<N + 1>(x); } void f(float x[2]) { g<0>(x); }",
         "the templates are written out too often"),
        ("struct a { int x, y, z, u, v, w; }; struct b { a x, y, z, u, v, w; };"
         " struct c { b x, y, z, u, v, w; }; struct d { c x, y, z, u, v, w; };"
         " void f(d x[2]) { x[0].x.x.x.x = 1; }", "struct d has more than 1000 members"),
        ("struct a { a *next; int x; }; void f(a x[2]) { x[0].next->x = 1; }",
         "is a pointer, and a member of a structure"),
        ("int g(float x) { return g(x); } template <typename T> T h(T x) { return h(x); }"
         " void f(float x[2]) { x[0] = h(x[1]); }", "nested too deeply"),
    ],
)  # fmt: skip
def test_explosions_end_soon(text: str, message: str, tmp_path: Path) -> None:
    before = time.process_time()
    with pytest.raises(FrontendError, match=message):
        read_cpp(tmp_path, text)
    assert time.process_time() - before < 10


def test_bits_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "joined.cpp"
    path.write_text(
        "void joined(ap_uint<5> x[4], ap_int<7> y[4], int z[4]) {\n"
        "  for (int i = 0; i < 4; i++) {\n"
        "    ap_uint<12> both = (x[i], y[i]);\n    z[i] = both + x[i](4, 1);\n  }\n}\n"
    )
    x, y = np.array([0, 31, 7, 16], np.uint8), np.array([-1, 63, -64, 5], np.int8)
    found = interpret(load(path), {"x": x, "y": y})["z"]
    assert found.tolist() == [
        (int(a) << 7) + (int(b) & 127) + (int(a) >> 1) for a, b in zip(x, y, strict=True)
    ]


def test_ends_of_bits_that_are_no_whole_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FrontendError, match="a number of bits that is not known"):
        read_cpp(tmp_path, "void f(ap_uint<8> x[4], int y[4]) { y[0] = x[1].range(15, 1e308); }")


def test_functions_of_one_name_are_chosen_by_arguments_or_refused(tmp_path: Path) -> None:
    text = "int g(int x, float y) { return x; }\nint g(float x, int y) { return y; }\n"
    with pytest.raises(FrontendError, match="E135 g has 2 forms"):
        read_cpp(tmp_path, f"{text}void f(int y[2]) {{ y[0] = g(y[0], y[1]); }}")
    read_cpp(tmp_path, f"{text}void f(int y[2]) {{ y[0] = g(y[0], 1.5f); }}")


@pytest.mark.parametrize("asked", ["x[i]", "last[0] > 0"])
def test_reads_under_conditions_that_change_are_refused(asked: str, tmp_path: Path) -> None:
    """A condition that names no iterator doesn't hold in all iterations for that."""
    with pytest.raises(FrontendError, match="E136 subscript in__r"):
        read_cpp(
            tmp_path,
            "void f(hls::stream<int> &in, bool x[99], int y[99]) { int turn = 0; int last[1] = {0};"
            " for (int i = 0; i < 99; i++) { bool go = turn != 1; y[i] = 0;"
            f" if ({asked}) y[i] = in.read(); last[0] = y[i];"
            " if (turn == 2) turn = 0; else turn++; } }",
        )


def test_operators_that_no_function_can_be_are_refused_by_name(tmp_path: Path) -> None:
    text = "struct two { int a; };\nint operator,(two x, two y) { return x.a; }\n"
    with pytest.raises(FrontendError, match="E135 operator is not supported"):
        read_cpp(tmp_path, f"{text}void f(int y[2]) {{ y[0] = 1; }}")


def test_blocks_and_requests_are_streams(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "#include <hls_streamofblocks.h>\n#include <hls_burst_maxi.h>\ntypedef int row[2][4];\n"
        "int total(const int x[2][4]) { int s = 0; for (int i = 0; i < 8; i++)"
        " s += x[i / 4][i % 4]; return s; }\n"
        "void fill(hls::burst_maxi<int> a, hls::stream_of_blocks<row> &s) {\n"
        "  a.read_request(8, 16); a.read_request(0, 8);\n"
        "  for (int k = 0; k < 3; k++) { hls::write_lock<row> b(s);\n"
        "    for (int i = 0; i < 8; i++) b[i / 4][i % 4] = a.read() + k; } }\n"
        "void use(hls::stream_of_blocks<row> &s, hls::burst_maxi<int> y) {\n"
        "  y.write_request(1, 3);\n"
        "  for (int k = 0; k < 3; k++) { hls::read_lock<row> b(s); y.write(total(b) * b[1][2]); }\n"
        "  y.write_response(); }\n"
        "void f(hls::burst_maxi<int> a, hls::burst_maxi<int> y) {\n"
        "  hls::stream_of_blocks<row> s; fill(a, s); use(s, y); }\n",
        "code.cpp",
    )
    a = np.arange(24, dtype=np.int32) ** 2
    shape = {"a": (24,), "y": (4,)}
    program = load(path, options=SourceOptions(top="f", shape=shape))
    found = interpret(program, {"a": a, "y": np.zeros(4, np.int32)})
    blocks = np.concatenate([a[8:], a[:8]]).reshape(3, 8) + np.arange(3)[:, None]
    assert found["y_out"][1:].tolist() == (blocks.sum(1) * blocks[:, 6]).tolist()


def test_scalars_of_fixed_point_round_before_they_are_used(tmp_path: Path) -> None:
    text = (
        "typedef ap_fixed<16, 8> t;\nvoid f(t x[2], t y[2]) {\n"
        "  for (int i = 0; i < 2; i++) { t both = x[i] * x[i]; y[i] = -both; } }\n"
    )
    program = load(written(tmp_path, f"#include <ap_fixed.h>\n{text}", "code.cpp"))
    x = np.array([3.0, 5.0]) / 256
    assert interpret(program, {"x": x})["y"].tolist() == [0.0, 0.0]
