"""Where results go: nothing that streamopt has not written is replaced, nor what nobody named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from streamopt.cli.main import app
from streamopt.errors import StreamoptError
from streamopt.files import write_file
from tests.support.commands import graph

SOLVE = ("solve", "two.json", "--dsp", "40", "--tiling-limit", "2", "-q")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.json").write_text(json.dumps(graph(name="other")))
    return tmp_path


def refusal(*words: str) -> str:
    """Return what a command that ends with an error says."""
    error = CliRunner().invoke(app, [*words]).exception
    assert isinstance(error, StreamoptError)
    return str(error)


def printed(*words: str) -> str:
    done = CliRunner().invoke(app, [*words])
    assert done.exit_code == 0, done.exception
    return done.stdout


def test_usual_names_come_from_the_source_and_are_not_overwritten(folder: Path) -> None:
    (folder / "kernel.c").write_text(
        "void f(float a[8], float b[8]) { for (int i = 0; i < 8; i++) b[i] = a[i]; }"
    )
    assert printed("graph", "kernel.c").endswith("wrote kernel.json\n")
    before = (folder / "kernel.json").read_bytes()
    assert refusal("graph", "kernel.c", "--name", "new") == (
        "kernel.json: E545 there is such a file already\n"
        "  hint: --force replaces it, -o gives another name"
    )
    assert (folder / "kernel.json").read_bytes() == before
    printed("graph", "kernel.c", "--name", "new", "--force")
    assert (folder / "kernel.json").read_bytes() != before


def test_schedules_too(folder: Path) -> None:
    printed(*SOLVE)
    schedule = folder / "two.schedule.json"
    schedule.write_text(schedule.read_text() + " ")
    before = schedule.read_text()
    assert refusal(*SOLVE).startswith("two.schedule.json: E545 ")
    assert schedule.read_text() == before
    printed(*SOLVE, "--schedule", "two.schedule.json")
    assert schedule.read_text() != before


def test_what_streamopt_has_not_written_is_kept(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    (folder / "data").mkdir()
    (folder / "data" / "notes.txt").write_text("mine")
    for words in (("graph", "two.json", "-o"), (*SOLVE, "--schedule")):
        assert refusal(*words, "notes.txt").startswith("notes.txt: E546 ")
        assert refusal(*words, "data").startswith("data: E546 this is a folder")
    assert "E720 " in refusal(*SOLVE, "-o", "data")
    assert "E546 the graph would replace its own source" in refusal(
        "graph", "two.json", "-o", "two.json"
    )
    assert (folder / "notes.txt").read_text() == "mine"
    assert sorted(path.name for path in folder.rglob("*")) == [
        *("data", "notes.txt", "notes.txt", "two.json"),
    ]


def test_stdout_and_null(folder: Path) -> None:
    document = json.loads(printed("graph", "two.json", "-o", "-"))
    assert document["name"] == "other"
    schedule = json.loads(printed(*SOLVE[:-1], "--schedule", "-"))
    assert schedule["graph"] == "other"
    null = Path("/dev/null")
    for words in (("--schedule", "/dev/null"), ("-o", "/dev/null")):
        assert printed(*SOLVE, *words) == ""
    assert null.is_char_device()
    assert "E547 a project is a folder of files" in refusal(*SOLVE, "-o", "-")
    assert [path.name for path in folder.iterdir()] == ["two.json"]


def test_a_device_is_written_in_place() -> None:
    write_file(Path("/dev/null"), b"text")
    assert Path("/dev/null").is_char_device()


def test_a_project_is_replaced_by_the_next(folder: Path) -> None:
    printed(*SOLVE, "-o", "made")
    printed(*SOLVE, "-o", "made")
    assert [path.name for path in folder.iterdir() if path.name.startswith("made")] == ["made"]
