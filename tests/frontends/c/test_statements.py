"""C statements: loops of all forms, branches, assignments, declarations, inlined functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.frontends.c import read_c
from streamopt.frontends.c.text.preprocess import EMPTY_HEADERS
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Binary, BinaryOp, Literal, Read, Select
from streamopt.ir.source import Assign, Branch, RangeLoop, Variable
from tests.support.programs.c_text import bare, body, read

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.source import Item

I = Affine.iterator("i")  # noqa: E741
J = Affine.iterator("j")


def of(number: int) -> Affine:
    return Affine.of(number)


def only(items: tuple[Item, ...]) -> RangeLoop:
    (loop,) = items
    assert isinstance(loop, RangeLoop)
    return loop


@pytest.mark.parametrize(
    ("header", "lower", "upper", "element"),
    [
        ("int i = 0; i < 8; i++", of(0), of(8), I),
        ("int i = 1; i <= 6; ++i", of(1), of(7), I),
        ("int i = 0; i != 8; i += 1", of(0), of(8), I),
        ("int i = 0; 8 > i; i = i + 1", of(0), of(8), I),
        ("int i = 0; i + 1 < 8; i = 1 + i", of(0), of(7), I),
        ("int i = 7; i >= 0; i--", of(0), of(8), of(7) - I),
        ("int i = 7; i > 0; i -= 1", of(0), of(7), of(7) - I),
        ("int i = 0; i < 8; i += 3", of(0), of(3), I.scaled(3)),
        ("int i = 7; i >= 0; i -= 2", of(0), of(4), of(7) - I.scaled(2)),
        ("size_t_ i = 0; i < 8; i++", of(0), of(8), I),
    ],
)
def test_headers(
    header: str, lower: Affine, upper: Affine, element: Affine, tmp_path: Path
) -> None:
    header = header.replace("size_t_", "unsigned long")
    loop = only(body(tmp_path, f"for ({header}) x[i] = 1;"))
    assert loop.iterator == "i"
    assert (loop.lower, loop.upper) == ((lower,), (upper,))
    assert loop.body == (Assign(Access("x", (element,)), Literal(1.0)),)


@pytest.mark.parametrize(
    ("header", "lower", "upper"),
    [
        ("int j = i; j < 8; j++", (I,), (of(8),)),
        ("int j = i > 2 ? i : 2; j < 8; j++", (I, of(2)), (of(8),)),
        ("int j = 0; j < (i + 4 < 8 ? i + 4 : 8); j++", (of(0),), (I + of(4), of(8))),
        ("int j = 0; j <= MIN(i, MIN(5, i + 1)); j++", (of(0),), (I + of(1), of(6), I + of(2))),
        ("int j = 0; j < i && j < 3; j++", (of(0),), (I, of(3))),
        ("int j = i; j > 0; j--", (of(0),), (I,)),
        ("int j = i; j > (i - 2 > 0 ? i - 2 : 0); j--", (of(0),), (of(2), I)),
        ("int j = i; j < 8; j += 2", (of(0),), ((of(9) - I).floordiv(2),)),
    ],
)
def test_bounds(
    header: str, lower: tuple[Affine, ...], upper: tuple[Affine, ...], tmp_path: Path
) -> None:
    text = "\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
    text += f"for (int i = 0; i < 8; i++) for ({header}) x[j] = 1;"
    inner = only(only(body(tmp_path, text)).body)
    assert (inner.lower, inner.upper) == (lower, upper)


def test_iterators_are_unique_and_labels_stay(tmp_path: Path) -> None:
    text = "int i; first: for (i = 0; i < 8; i++) set: x[i] = 1; for (i = 0; i < 8; i++) x[i] = 2;"
    one, two = body(tmp_path, text)
    assert isinstance(one, RangeLoop)
    assert isinstance(two, RangeLoop)
    assert (one.iterator, one.label, two.iterator, two.label) == ("i", "first", "i_2", "")
    (item,) = one.body
    assert isinstance(item, Assign)
    assert item.label == "set"


def test_assignments(tmp_path: Path) -> None:
    first, second = Access("x", (of(0),)), Access("x", (of(1),))
    assert body(tmp_path, "x[0] = x[1] = 2.5f; x[0] -= x[1], x[1]++; { ; }") == (
        Assign(second, Literal(2.5)),
        Assign(first, Literal(2.5)),
        Assign(first, Binary(BinaryOp.SUB, Read(first), Read(second))),
        Assign(second, Binary(BinaryOp.ADD, Read(second), Literal(1.0))),
    )


def test_pointers_to_scalars_and_outputs(tmp_path: Path) -> None:
    text = "void f(float *a, float *b, const float x[4]) { *a = x[0]; b[0] = x[1]; }"
    source = read(tmp_path, text, outputs=["b"])
    a, b, x = source.variables
    assert (a.shape, a.is_wanted, a.is_constant) == ((), False, False)
    assert (b.shape, b.is_wanted) == ((1,), True)
    assert (x.is_constant, x.is_argument) == (True, True)


def test_locals_and_constants(tmp_path: Path) -> None:
    text = """
    #define N 4
    typedef float real;
    enum { SHIFT = 1, TWICE };
    static const float taps[2][2] = {{1, 2}, {0.5f}};
    const int M = N * TWICE;
    void f(real x[M], const int k) {
        const int last = M - SHIFT;
        real sum = 0, scale = 2.0f;
        int w[3] = {3, 4}, n;
        n = 2;
        for (int i = 0; i <= last; i += n) {
            int at = i + 1;
            sum += x[at] * taps[1][0] * scale * w[1];
        }
        float sum_ = sum;
        x[0] = sum_ * k;
    }"""
    source = read(tmp_path, text)
    names = {variable.name: variable for variable in source.variables}
    assert list(names) == ["taps", "x", "k", "sum", "w", "sum_"]
    assert names["x"].shape == (8,)
    assert names["k"].element == ElementType.INT32
    assert not names["sum"].is_argument
    np.testing.assert_array_equal(source.values["taps"], np.array([[1, 2], [0.5, 0]]))
    np.testing.assert_array_equal(source.values["w"], np.array([3, 4, 0]))
    assert source.values["taps"].dtype == np.float32
    assert names["taps"].is_constant
    _, loop, *_ = source.body
    assert isinstance(loop, RangeLoop)
    assert loop.upper == (of(4),)


def test_initialised_arrays_that_are_written(tmp_path: Path) -> None:
    items = body(
        tmp_path, "float a[2][3] = {0}; float b[2] = {1, d}; a[0][0] += b[0]; b[1] = a[1][1];"
    )
    nest, one, two, *_ = items
    assert isinstance(nest, RangeLoop)
    inner = only(nest.body)
    assert (nest.upper, inner.upper) == ((of(2),), (of(3),))
    assert isinstance(one, Assign)
    assert isinstance(two, Assign)
    assert (one.target, one.value) == (Access("b", (of(0),)), Literal(1.0))
    assert two.value == Read(Access("d", ()))


def test_parameters_from_calls_and_from_outside(tmp_path: Path) -> None:
    text = "void f(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = n; }"
    caller = "int main(void) { int n = 3 * 4; float y[12]; f(n, y); return 0; }"
    assert read(tmp_path, text + caller).variables[0].shape == (12,)
    assert read(tmp_path, text, parameters={"n": 5}).variables[0].shape == (5,)
    flat = "void f(float *x) { for (int i = 0; i < 12; i++) x[i] = 0; }"
    caller = "int main(void) { float y[12]; f(y); return 0; }"
    assert read(tmp_path, flat + caller).variables[0].shape == (12,)


def test_functions_are_put_in_place(tmp_path: Path) -> None:
    text = """
    static inline float square(float v) { return v * v; }
    static float relu(float v) { if (v > 0) return v; return 0; }
    static float dot(int n, const float a[], const float b[n]) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += a[k] * b[k];
        return sum;
    }
    static void add(float row[4], float *total) { for (int k = 0; k < 4; k++) *total += row[k]; }
    void top(float A[4][4], float y[4]) {
        for (int i = 0; i < 4; i++) {
            y[i] = relu(square(A[i][0])) + dot(4, A[i], y);
            add(A[i], &y[i]);
        }
    }"""
    source = read(tmp_path, text, top="top")
    (loop,) = source.body
    assert isinstance(loop, RangeLoop)
    start, accumulate, last, added = map(bare, loop.body)
    assert start == Assign(Access("sum", ()), Literal(0.0))
    assert isinstance(accumulate, RangeLoop)
    k = Affine.iterator("k")
    term = Binary(BinaryOp.MUL, Read(Access("A", (I, k))), Read(Access("y", (k,))))
    value = Binary(BinaryOp.ADD, Read(Access("sum", ())), term)
    assert accumulate.body == (Assign(Access("sum", ()), value),)
    assert isinstance(last, Assign)
    assert last.target == Access("y", (I,))
    assert isinstance(added, RangeLoop)
    assert added.iterator == "k_2"
    assert read(tmp_path, text).name == "top"


def test_branches(tmp_path: Path) -> None:
    (branch,) = body(tmp_path, "if (d > 1) x[0] = 1; else if (d > 0) x[0] = 2;")
    assert isinstance(branch, Branch)
    (inner,) = branch.otherwise
    assert isinstance(inner, Branch)
    assert inner.otherwise == ()


def test_names_that_mean_something_are_changed(tmp_path: Path) -> None:
    loop = "for (int max = 0; max < 4; max++) out__a[max] = in[max];"
    text = f"void f(float in[4], float out__a[4]) {{ {loop} }}"
    source = read(tmp_path, text)
    assert [v.name for v in source.variables] == ["in_", "out_a"]
    assert only(source.body).iterator == "max_"


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    text = "#define STORE(a, v) a[0] = (v)\n\n\n"
    text += "void f(float x[2])\n{\n    x[1] = 2;\n    STORE(x, 1);\n}\n"
    source = read(tmp_path, text)
    places = [(item.loc.line, item.loc.column) for item in source.body if item.loc is not None]
    assert places == [(6, 5), (7, 11)]
    variable = source.variables[0]
    assert isinstance(variable, Variable)
    assert variable.loc is not None
    assert (variable.loc.line, variable.loc.column) == (4, 14)


def test_what_surrounds_hls_code(tmp_path: Path) -> None:
    text = """#include <cmath>
    #include <cstdint>
    extern "C" {
    typedef uint8_t pixel;
    __attribute__((noinline)) void top(const pixel *__restrict in, bool flag, float out[4]) {
    #pragma HLS INTERFACE m_axi port=out
        bool both = flag && in[0] > 3;
    rows: for (uint16_t y = 0; y < 4; y++)
    #pragma HLS PIPELINE
            out[y] = both ? std::fmax(out[y], 0.0f) : 1;
    }
    }
    extern "C" void other(float x[2]);
    """
    path = tmp_path / "code.cpp"
    path.write_text(text)
    source = read_c(path)
    kinds = {variable.name: variable.element for variable in source.variables}
    assert kinds["in_"] == kinds["flag"] == kinds["both"] == ElementType.UINT8
    first, loop = source.body
    assert isinstance(first, Assign)
    assert isinstance(first.value, Select)
    assert isinstance(loop, RangeLoop)
    assert loop.label == "rows"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("for (int i = 0; i < 8; i++) { int r = i - 1; if (r < 0) r = 0; x[i] = A[r][0]; }",
         "for (int i = 0; i < 8; i++) x[i] = i - 1 < 0 ? A[0][0] : A[i - 1][0];"),
        ("for (int i = 0; i < 8; i++) { if (i == 3) continue; x[i] = 1; }",
         "for (int i = 0; i < 8; i++) { if (i == 3) { } else { x[i] = 1; } }"),
        ("if (x[0] > 1) return; x[1] = 2; x[2] = 3;",
         "if (x[0] > 1) { } else { x[1] = 2; x[2] = 3; }"),
        ("if (x[0] > 1) { x[3] = 0; return; } else { x[1] = 2; } x[2] = 3;",
         "if (x[0] > 1) { x[3] = 0; } else { x[1] = 2; x[2] = 3; }"),
        ("do { x[0] = 1; x[1] = 2; } while (0);", "x[0] = 1; x[1] = 2;"),
        ("float *p = &x[2]; p[1] = 4; *(p + 2) = 5;", "x[3] = 4; x[4] = 5;"),
        ("float *r = A[3]; r[1] = 4;", "A[3][1] = 4;"),
        ("const int c[4] = {[2] = 5, 6, [0] = 1}; x[c[0]] = c[1]; x[c[2]] = c[3];",
         "const int c[4] = {1, 0, 5, 6}; x[1] = 0; x[5] = 6;"),
        ("x[0] = sizeof(double) + sizeof(A[0]) / sizeof A[0][0];", "x[0] = 16ul;"),
        ("memset(&A[2][4], 0, 3 * sizeof(float));",
         "for (int i = 0; i < 3; i++) A[2][i + 4] = 0;"),
        ("memcpy(A[1], x, sizeof(A[1]));", "for (int i = 0; i < 8; i++) A[1][i] = x[i];"),
        ("x[0] = '\\n' + '\\\\' + '\\x41' + '\\0';", "x[0] = 10 + 92 + 65 + 0;"),
    ],
)  # fmt: skip
def test_other_ways_to_write_the_same(text: str, same: str, tmp_path: Path) -> None:
    assert body(tmp_path, text) == body(tmp_path, same)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("int i, j, r; for (i = 0; i < 4; i++) { r = i * 2; for (j = 0; j < 2; j++) x[r + j] = 1;}",
         "for (int i = 0; i < 4; i++) for (int j = 0; j < 2; j++) x[i * 2 + j] = 1;"),
        ("int r = 1; x[r] = 0; r = r + 1; x[r] = 1; r <<= 1; x[r] = 2;",
         "x[1] = 0; x[2] = 1; x[4] = 2;"),
        ("for (int i = 0; i < 8; i++) { int r; if (i > 3) r = i - 1; else r = i; x[i] = A[r][0]; }",
         "for (int i = 0; i < 8; i++) x[i] = i > 3 ? A[i - 1][0] : A[i][0];"),
    ],
)  # fmt: skip
def test_integers_hold_what_they_are_assigned(text: str, same: str, tmp_path: Path) -> None:
    assert body(tmp_path, text) == body(tmp_path, same)


def test_a_loop_forgets_what_it_assigns(tmp_path: Path) -> None:
    text = "int r = 1; for (int i = 0; i < 2; i++) { x[i] = r; r = i; } x[4] = r;"
    first, loop, last = body(tmp_path, text)
    assert isinstance(first, Assign)
    assert isinstance(loop, RangeLoop)
    assert isinstance(last, Assign)
    values = [item.value for item in (*loop.body, last) if isinstance(item, Assign)]
    assert values[0] == values[2] == Read(Access("r", ()))


def test_static_variables_start_at_zero_and_say_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    head = (
        "static float step(float v) { static float last; float old = last; last = v; return old; }"
    )
    text = f"{head}\nvoid f(float x[2]) {{ x[0] = step(x[1]); x[1] = step(x[0]); }}"
    source = read(tmp_path, text)
    first = source.body[0]
    assert isinstance(first, Assign)
    assert (str(first.target), first.value) == ("last", Literal(0.0))
    assert [v.name for v in source.variables].count("last") == 1
    assert "every call of f starts from the initial values of its static variables: last" in (
        caplog.text
    )


def test_integers_that_calls_decide_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "void f(int x[4], int n, int c) { for (int i = 0; i < n; i++) x[i] = c - x[i]; }\n"
        "int main(void) { int x[4]; f(x, 4, 1000); return 0; }\n"
    )
    read_c(path)
    assert "note: c is 1000, as the file's calls say" in caplog.text
    assert "note: n is" not in caplog.text


def test_headers_of_tools_and_libraries_are_known(tmp_path: Path) -> None:
    names = [*EMPTY_HEADERS, "inttypes.h", "complex.h", "stdarg.h", "fcntl.h", "ctime"]
    text = "".join(f"#include <{name}>\n" for name in names)
    text += 'int note(void) { return printf("%" PRIu32, 1); }\n'
    source = read(
        tmp_path, f"{text}void f(uint_fast16_t n, int_least8_t x[2]) {{ x[0] = n; }}", top="f"
    )
    assert [v.element for v in source.variables] == [ElementType.UINT64, ElementType.INT8]


def test_functions_of_the_file_come_before_those_of_headers(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("static inline int spare(int v) { return v; }\n")
    text = '#include "own.h"\nvoid f(float x[2]) { x[0] = 1; }\nint main(void) { return 0; }\n'
    assert read(tmp_path, text).name == "f"
