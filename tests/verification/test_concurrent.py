"""Dataflow regions in C simulation: what runs at once, and how a standstill is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import VerificationError
from streamopt.verification.csim.running import CsimRun, with_concurrent_processes
from tests.support.runners.testbench import compile_and_run

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """#include <hls_stream.h>
static void first(hls::stream<int, 2> a[1], hls::stream<int, 3> &b) {
    for (int i = 0; i < 9; i++) {
        a[0].write(i);
        b.write(-i);
    }
}
static void second(hls::stream<int, 2> a[1], hls::stream<int, 3> &b, int buffer[9]) {
    for (int i = 0; i < 9; i++)
        buffer[i] = a[0].read() + b.read();
}
static void third(const int buffer[9], int scale, int result[1]) {
    result[0] = 0;
    for (int i = 0; i < 9; i++)
        result[0] += scale * buffer[i];
}
static void top(int scale, int result[1]) {
    #pragma HLS dataflow
    hls::stream<int, 2> a[1];
    hls::stream<int, 3> b;
    int buffer[9];
    hls::set_name(a, "a");
    hls::set_name(b, "b");
    first(a, b);
    second(a,
           b, buffer);
    third(buffer, scale, result);
}
int main() {
    int result[1] = {7};
    top(1, result);
    top(2, result);
    hls::check_drained();
    return result[0];
}
"""


def run(text: str, directory: Path) -> CsimRun:
    (directory / "main.cpp").write_text(text)
    return compile_and_run(directory, ("main.cpp",), (), 60.0)


def test_calls_become_processes_and_lines_stay() -> None:
    text = with_concurrent_processes(KERNEL, "main.cpp")
    head, *lines = text.splitlines()
    assert (head, lines[0]) == ('#include "hls_dataflow.h"', '#line 1 "main.cpp"')
    assert len(lines) == 1 + KERNEL.count("\n")
    assert text.count("hls::process(") == 3
    assert '    hls::process("first(a, b)", first, [&] { first(a, b); }, a, b);' in lines
    assert '    hls::set_name(a, "a");' in lines
    assert "    top(1, result);" in lines


def test_text_without_a_region_stays() -> None:
    text = "static void f() {\n    g(1);\n}\n"
    assert with_concurrent_processes(text, "f.cpp") == f'#line 1 "f.cpp"\n{text}'


def test_regions_run_again_and_again(tmp_path: Path) -> None:
    found = run(KERNEL, tmp_path)
    assert (found.passed, found.warnings) == (True, "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "a[0].read() + b.read();\n",
            "b.read();\n    for (int i = 0; i < 9; i++)\n        a[0].read();\n",
            r"E708 the processes wait for each other, a deadlock:\n"
            r"  second waits for data in stream b \(depth 3\), which first writes\n"
            r"  first waits for room in stream a\[0\] \(depth 2\), which second reads\n  hint: ",
        ),
        (
            "a[0].read() + b.read();\n",
            "0;\n    (void)a[0].read();\n    (void)b.read();\n",
            r"E703 a stream is not empty at the end:\n"
            r"  first writes to full stream a\[0\] \(depth 2\): second has ended",
        ),
        ("i < 9; i++) {", "i < 8; i++) {", r"second reads from empty stream a\[0\] .*: first has"),
        ("-i);", "-i);\n        if (i == 8) a[0].write(9);", r"E703 .*\n  1 elements left in .* a"),
        (
            "    first(a, b);\n    second(a,\n           b, buffer);\n",
            "    second(a, b, buffer);\n    first(a, b);\n",
            r"E714 .*\n  second is called before first, which writes its stream a\[0\]",
        ),
        (
            "    first(a, b);\n",
            "    first(a, b);\n    first(a, b);\n",
            r"E714 .*\n  stream a\[0\] \(depth 2\) is written by two processes: first and first",
        ),
    ],
    ids=["ring", "full", "empty", "left", "order", "twice"],
)
def test_a_fault_is_told_by_its_channel(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in KERNEL
    with pytest.raises(VerificationError, match=message):
        run(KERNEL.replace(old, new, 1), tmp_path)
