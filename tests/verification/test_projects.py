"""Projects on disk, the C simulation of anything, and verdicts."""

from __future__ import annotations

import json
import resource
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.codegen.backends.vitis import emit
from streamopt.errors import VerificationError
from streamopt.verification import project
from streamopt.verification.compare import DesignVerdict, compare_output
from streamopt.verification.manifest import MANIFEST, read_manifest
from streamopt.verification.project import write_project
from streamopt.verification.reference.execution import Result
from streamopt.verification.verify import verify_project
from tests.support.programs.sketches import program, scheduled
from tests.support.runners.testbench import compile_and_run

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.verification.csim.running import CsimRun

DOUBLED = program(
    {"x": "input 2 3", "s": "input", "t": "internal 2 3", "y": "output 2 3"},
    {
        "scale": "i 2, j 3: t[i][j] = x[i][j] * s",
        "add": "i 2, j 3: y[i][j] = t[i][j] + t[i][j]",
    },
)
DESIGN = emit(scheduled(DOUBLED))


def everything(directory: Path) -> dict[str, bytes]:
    files = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def test_project_is_complete_and_the_same_each_time(tmp_path: Path) -> None:
    write_project(DESIGN, DOUBLED, tmp_path / "deep" / "one", {"src/graph.json": "{}"}, seed=3)
    write_project(DESIGN, DOUBLED, tmp_path / "two", {"src/graph.json": "{}"}, seed=3)
    files = everything(tmp_path / "deep" / "one")
    assert files == everything(tmp_path / "two")
    assert set(files) == {
        "sketch.cpp", "sketch.h", "testbench.cpp", "run_hls.tcl", "hls_config.cfg",
        "src/graph.json", MANIFEST,
        "data/x.bin", "data/s.bin", "data/y.golden.bin", "data/y.tolerance.bin",
    }  # fmt: skip
    x, s = (np.frombuffer(files[f"data/{name}.bin"], "<f4") for name in "xs")
    assert np.array_equal(np.frombuffer(files["data/y.golden.bin"], "<f8"), 2.0 * x * s)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["deep", "two"]


def test_manifest_says_what_the_project_is(tmp_path: Path) -> None:
    written = write_project(DESIGN, DOUBLED, tmp_path / "p", seed=3)
    assert read_manifest(tmp_path / "p") == written
    document = json.loads((tmp_path / "p" / MANIFEST).read_text())
    assert document["graph"] == "sketch"
    assert document["outputs"] == ["y"]
    assert document["seed"] == 3
    assert document["schedule_sha256"] == DESIGN.schedule_sha256


def test_earlier_projects_and_empty_directories_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    write_project(DESIGN, DOUBLED, tmp_path / "p", {"old.txt": ""})
    write_project(DESIGN, DOUBLED, tmp_path / "p", {"new.txt": ""})
    assert "new.txt" in everything(tmp_path / "p")
    assert "old.txt" not in everything(tmp_path / "p")
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


@pytest.mark.parametrize("content", ["notes.txt", MANIFEST])
def test_other_directories_are_left_alone(content: str, tmp_path: Path) -> None:
    (tmp_path / content).write_text("mine")
    with pytest.raises(VerificationError, match=r"E720 .* exists and is not a streamopt project"):
        write_project(DESIGN, DOUBLED, tmp_path)
    assert everything(tmp_path) == {content: b"mine"}


def test_a_file_or_link_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "link"):
        with pytest.raises(VerificationError, match="E720"):
            write_project(DESIGN, DOUBLED, tmp_path / name)


def test_a_failure_leaves_nothing_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(DESIGN, DOUBLED, tmp_path / "p")
    before = everything(tmp_path)

    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(project, "write_data", full)
    for name in ("p", "q"):
        with pytest.raises(VerificationError, match=r"E723 .* disk full"):
            write_project(DESIGN, DOUBLED, tmp_path / name)
    assert everything(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


@pytest.mark.parametrize(
    "path", ["/etc/x", "../x", "a/../../x", "", "data/x.bin", "sketch.cpp", MANIFEST]
)
def test_extra_files_stay_inside_and_apart(path: str, tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match="E721"):
        write_project(DESIGN, DOUBLED, tmp_path / "p", {path: "text"})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": 2}'])
def test_what_is_no_project_can_not_be_verified(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(VerificationError, match=r"E722 .* is not a streamopt project"):
        verify_project(tmp_path, DOUBLED)


def test_data_files_are_not_trusted(tmp_path: Path) -> None:
    write_project(DESIGN, DOUBLED, tmp_path / "p")
    source = tmp_path / "p" / "sketch.cpp"
    source.write_text(source.read_text().replace("t_value + t_value", "0.0f * t_value"))
    (tmp_path / "p" / "data" / "y.golden.bin").write_bytes(bytes(48))
    assert testbench(tmp_path / "p", "sketch.cpp", "testbench.cpp").passed
    verdict = verify_project(tmp_path / "p", DOUBLED)
    assert not verdict.passed
    assert verdict.outputs[0].wrong > 0


def testbench(directory: Path, *sources: str) -> CsimRun:
    return compile_and_run(directory, sources)


testbench.__test__ = False  # type: ignore[attr-defined]


def test_testbench_says_what_is_wrong(tmp_path: Path) -> None:
    write_project(DESIGN, DOUBLED, tmp_path / "p")
    good = testbench(tmp_path / "p", "sketch.cpp", "testbench.cpp")
    assert good.passed
    assert good.warnings == ""
    assert good.output == "pass y: 6 elements, max error 0, max error/tolerance 0\n"
    golden = np.fromfile(tmp_path / "p" / "data" / "y.golden.bin")
    golden[4] = np.inf
    golden.tofile(tmp_path / "p" / "data" / "y.golden.bin")
    bad = testbench(tmp_path / "p", "sketch.cpp", "testbench.cpp")
    assert not bad.passed
    assert "FAIL y: 6 elements, max error inf" in bad.output
    assert "1 wrong, first y[1][1]: got " in bad.output
    assert "expected inf +- 0" in bad.output


def test_missing_data_is_named(tmp_path: Path) -> None:
    write_project(DESIGN, DOUBLED, tmp_path / "p")
    (tmp_path / "p" / "data" / "s.bin").unlink()
    with pytest.raises(VerificationError, match=r"E706 .*\n.*data/s.bin is missing or too short"):
        testbench(tmp_path / "p", "sketch.cpp", "testbench.cpp")


def run_main(body: str, directory: Path, time_limit_s: float = 60.0) -> CsimRun:
    text = f"#include <hls_stream.h>\n#include <cstring>\nint main() {{\n{body}\n}}\n"
    (directory / "main.cpp").write_text(text)
    return compile_and_run(directory, ("main.cpp",), (), time_limit_s)


GROUP = 'hls::stream<int, 2> s[2][1]; hls::set_name(s, "s");\n'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return missing;", r"E702 .* does not compile:\n.*'missing' was not declared"),
        ("return 7;", "E705 the testbench ended with exit code 7"),
        ('char *p = strdup("x"); free(p); abort();', "E705 .* ended with signal SIGABRT"),
        (
            GROUP + "s[0][0].write(1); s[0][0].read(); return s[0][0].read();",
            r"E703 .* empty stream:\n.*read from empty stream s\[0\]\[0\] \(depth 2\)",
        ),
        (
            "{" + GROUP + "s[1][0].write(1); }\nhls::check_drained();",
            r"E703 a stream is not empty at the end:\n.*1 elements left in stream s\[1\]\[0\]",
        ),
    ],
    ids=["syntax", "exit", "abort", "empty", "left"],
)
def test_what_goes_wrong_is_named(body: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match=message):
        run_main(body, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["main.cpp"]


def test_streams_hand_on_in_order_however_deep(tmp_path: Path) -> None:
    body = GROUP + "for (int i = 0; i < 9; i++) s[0][0].write(i);\n"
    body += "for (int i = 0; i < 9; i++) if (s[0][0].read() != i) return 9;\n"
    body += "return s[0][0].empty() ? 0 : 9;"
    assert run_main(body, tmp_path).passed


def test_time_limit_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match=r"E704 the testbench ran for more than 4 s"):
        run_main("for (volatile int i = 0;; i = 1) {}", tmp_path, 4.0)


def test_large_arrays_fit_on_the_stack(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    if hard != resource.RLIM_INFINITY and hard < 64 << 20:
        pytest.skip("the system allows no larger stack")
    body = "volatile char a[32 << 20]; a[0] = 0; a[(32 << 20) - 1] = 0; return a[0];"
    assert run_main(body, tmp_path).passed


def test_compiler_must_exist(tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match=r"E701 C\+\+ compiler 'no-such-compiler'"):
        compile_and_run(tmp_path, ("x.cpp",), compiler="no-such-compiler")


def test_verdict_names_the_first_wrong_element() -> None:
    golden = Result(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 0.5], [0.5, 0.5]]))
    fine = compare_output("a", np.array([[1.0, 2.25], [3.0, 4.0]], np.float32), golden)
    assert (fine.wrong, fine.max_error, fine.max_ratio, fine.first) == (0, 0.25, 0.5, None)
    exact = compare_output("b", np.array([[1.5, 2.0], [3.0, np.nan]], np.float32), golden)
    assert (exact.wrong, exact.max_ratio != exact.max_ratio) == (2, True)
    verdict = DesignVerdict("g", (fine, exact))
    assert not verdict.passed
    with pytest.raises(VerificationError) as raised:
        verdict.raise_if_failed()
    assert str(raised.value) == (
        "E709 design of 'g' is wrong: FAIL b: 4 elements, max error nan, max error/tolerance nan"
        "\n  2 wrong, first b[0][0]: got 1.5, expected 1 +- 0"
    )
    DesignVerdict("g", (fine,)).raise_if_failed()


def test_place_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "p"
    with pytest.raises(VerificationError) as caught:
        write_project(DESIGN, DOUBLED, target)
    assert str(caught.value) == (
        f"E723 {target} can't be written: File exists\n"
        "  hint: choose a directory that you may write to, on a disk with room"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_compiler_that_can_not_fill_memory_is_told(tmp_path: Path) -> None:
    write_project(DESIGN, DOUBLED, tmp_path / "p")
    old = tmp_path / "old-g++"
    old.write_text('#!/bin/sh\ncase "$*" in *trivial-auto*) exit 1;; esac\nexec g++ "$@"\n')
    old.chmod(0o755)
    verdict = verify_project(tmp_path / "p", DOUBLED, compiler=str(old))
    assert verdict.passed
    assert "note: uninitialized memory holds whatever it does" in str(verdict)
    assert verify_project(tmp_path / "p", DOUBLED).notes == ()
