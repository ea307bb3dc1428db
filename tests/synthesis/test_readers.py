"""Reports of synthesis are read in every format; what is no report is refused with a code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import SynthesisReportError
from streamopt.synthesis.numbers import count, nanoseconds
from streamopt.synthesis.reader import read_reports
from streamopt.synthesis.report import ReportedLoop, SynthesisReport
from tests.support.synthesis_reports import (
    RELEASES,
    Function,
    Loop,
    summary_report,
    xml_report,
)

if TYPE_CHECKING:
    from pathlib import Path

NEST = "VITIS_LOOP_31_1_VITIS_LOOP_32_2"
INNER = Loop("VITIS_LOOP_52_3", "21", 4, 37)
GEMM = Function("gemm", (Loop(NEST, "45600", 1, 37),), 752, 100, 9, 45000, 90000, latency="45637")
MVT = Function("mvt", (Loop("VITIS_LOOP_50_1", "38", None, 90, (INNER,)),), luts=7)
TOP = Function(
    "top", (Loop("LAST", "5", 1, 3),), 800, 120, 9, 47000, 95000, "45700", kind="dataflow"
)
WHOLE = (GEMM, MVT, TOP)


def read(folder: Path, name: str, text: str) -> SynthesisReport:
    path = folder / name
    path.write_text(text)
    return read_reports(path)


def written(folder: Path, form: str, release: str = "2023.2") -> SynthesisReport:
    """The same design in each of the forms in which the tool reports it."""
    if form == "csynth.xml":
        return read(folder, form, xml_report(TOP, WHOLE, release=release))
    top = replace(TOP, inside=("gemm", "mvt"))
    return read(folder, form, summary_report(top, (GEMM, MVT), release))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("form", ["csynth.xml", "csynth.rpt"])
def test_every_form_and_release_says_the_same(tmp_path: Path, form: str, release: str) -> None:
    found = written(tmp_path, form, release)
    assert (found.top, found.release, found.part) == ("top", release, "xcu280-fsvh2892-2L-e")
    assert found.target_ns == (None if form == "csynth.rpt" else 3.33)
    gemm, top = found.module("gemm"), found.module("top")
    assert gemm is not None
    assert top is not None
    amounts = (gemm.dsps, gemm.bram18, gemm.uram, gemm.luts, gemm.ffs, gemm.latency_cycles)
    assert amounts == (752, 100, 9, 45000, 90000, 45637)
    assert gemm.loops == (ReportedLoop(NEST, 45600, 45600, 1, 37),)
    assert top.clock_ns == (None if form == "csynth.rpt" else 2.431)
    assert top.loops == (ReportedLoop("LAST", 5, 5, 1, 3),)
    mvt = found.module("mvt")
    assert mvt is not None
    assert (mvt.dsps, mvt.luts) == (0, 7)
    (outer,) = mvt.loops
    assert (outer.trip_count, outer.ii, outer.depth_cycles) == (38, None, 90)
    assert outer.loops == (ReportedLoop("VITIS_LOOP_52_3", 21, 84, 4, 37),)


def test_ranges_dashes_and_old_names_are_read(tmp_path: Path) -> None:
    loop = Loop("copy", "0 ~ 63", 1, 2)
    top = Function("top", (loop,), dsps=5, latency="undef", clock="?")
    text = xml_report(top, (top,), release="2020.1", old=True)
    module = read(tmp_path, "csynth.xml", text).module("top")
    assert module is not None
    assert (module.dsps, module.latency_cycles, module.clock_ns) == (5, None, None)
    assert (module.loops[0].trip_count, module.loops[0].latency_cycles) == (63, None)


def test_numbers_that_nobody_means_are_no_numbers() -> None:
    for text in ("1e999", "9" * 400, "", "-", "undef", "?"):
        assert count(text) is None, text
        assert nanoseconds(text) is None, text
    assert (count("1 ~ 2.6e+03"), nanoseconds("3.33 ns")) == (2600, 3.33)


def test_a_nest_without_end_is_read(tmp_path: Path) -> None:
    loop = INNER
    for _ in range(300):
        loop = Loop("VITIS_LOOP_1_1", "2", None, 9, (loop,))
    text = summary_report(Function("deep", (loop,)), ())
    assert read(tmp_path, "csynth.rpt", text).module("deep") is not None


def code_of(folder: Path, name: str, text: str) -> str:
    with pytest.raises(SynthesisReportError) as caught:
        read(folder, name, text)
    (problem,) = caught.value.diagnostics
    assert name in str(problem.loc)
    return problem.code


def test_what_is_no_report_is_refused(tmp_path: Path) -> None:
    for name, text, code in (
        ("empty.xml", "  \n", "E861"),
        ("other.xml", "<html><body/></html>", "E862"),
        ("other.rpt", "all went well\n", "E862"),
        ("deep.xml", "<profile>" * 40 + "</profile>" * 40, "E861"),
        ("entity.xml", '<!DOCTYPE p [<!ENTITY a "aaaa">]><profile>&a;</profile>', "E861"),
        ("late.xml", '<profile><!DOCTYPE p SYSTEM "/etc/passwd"></profile>', "E861"),
    ):
        assert code_of(tmp_path, name, text) == code, name


def test_a_report_that_was_cut_off_is_refused_at_any_place(tmp_path: Path) -> None:
    whole = xml_report(TOP, WHOLE)
    for cut in range(1, len(whole) - 1, 97):
        assert code_of(tmp_path, "csynth.xml", whole[:cut]) == "E861"
    text = summary_report(replace(TOP, inside=("gemm", "mvt")), (GEMM, MVT))
    for cut in range(200, text.rindex("\n", 0, text.rindex("+-")), 61):
        assert code_of(tmp_path, "csynth.rpt", text[:cut]) in ("E862", "E863"), cut


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.xml", tmp_path):
        with pytest.raises(SynthesisReportError) as caught:
            read_reports(path)
        assert caught.value.diagnostics[0].code == ("E864" if path == tmp_path else "E861")
    (tmp_path / "b.xml").write_bytes(b"\xff\xfe<profile/>")
    with pytest.raises(SynthesisReportError, match="UTF-8"):
        read_reports(tmp_path / "b.xml")


def test_reports_are_found_in_a_solution(tmp_path: Path) -> None:
    for place in ("kernel_project/solution", "kernel_component/hls"):
        folder = tmp_path / place / "syn" / "report"
        folder.mkdir(parents=True)
        (folder / "csynth.xml").write_text(xml_report(TOP, WHOLE))
        assert read_reports(tmp_path / place).top == "top"
    with pytest.raises(SynthesisReportError, match="2 syntheses"):
        read_reports(tmp_path)
