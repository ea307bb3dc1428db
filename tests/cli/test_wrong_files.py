"""Files that are missing, folders, or of another kind: one coded line and a hint, everywhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from streamopt.cli.main import app
from streamopt.errors import StreamoptError
from tests.support.commands import graph

if TYPE_CHECKING:
    from pathlib import Path

SCHEDULE: dict[str, Any] = {
    "schema_version": 1,
    "graph": "two",
    "nodes": [
        {"node": "product", "order": ["i", "j", "k"], "unroll": {"i": 1, "j": 1, "k": 1}},
        {"node": "act", "order": ["i", "j"], "unroll": {"i": 1, "j": 1}},
    ],
    "channels": [{"channel": "C", "kind": "ping_pong", "depth_elems": 0}],
    "result": {},
}
WRONG = {
    "two.jsn": "E101 the file can't be read: No such file or directory\n"
    "  hint: did you mean 'two.json'?",
    "folder": "E101 the file can't be read: Is a directory\n"
    "  hint: this is a folder; give a file in it",
    "two.schedule.json": "E101 this is a schedule, not a graph\n"
    "  hint: give the graph or its source first, and this with --schedule",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.json").write_text(json.dumps(graph()))
    (tmp_path / "two.schedule.json").write_text(json.dumps(SCHEDULE))
    (tmp_path / "folder").mkdir()
    return tmp_path


def refusal(*words: str) -> str:
    """Return what a command that ends with an error says."""
    error = CliRunner().invoke(app, [*words]).exception
    assert isinstance(error, StreamoptError), error
    return str(error)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize(
    "verb", ["graph", "solve", "pareto", "compare", "design --strategy codo", "emit -o made"]
)
def test_what_is_no_graph(verb: str, name: str) -> None:
    given = ["--schedule", "two.schedule.json"] if "emit" in verb else []
    assert refusal(*verb.split(), name, *given) == f"{name}: {WRONG[name]}"


@pytest.mark.parametrize("verb", ["simulate", "report", "emit -o made"])
def test_what_is_no_schedule(verb: str) -> None:
    told = refusal(*verb.split(), "two.json", "--schedule", "two.json")
    assert told == (
        "two.json: E122 this is a graph, not a schedule\n"
        "  hint: --schedule takes what streamopt solve writes"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("verify none", "E722 none is not a streamopt project: streamopt-project.json can't be "),
        ("solve two.json -o two.json/x", "two.json/x.incumbent.json: E116 "),
        ("solve two.json --schedule no/x.json", "no/x.json: E116 the file can't be written: "),
        ("compare two.json --csv no/x.csv", "no/x.csv: E116 the file can't be written: there is"),
        ("pareto two.json --schedules two.json --level opt1", "two.json: E872 "),
        ("emit two.json --schedule two.schedule.json -o -", "E547 a project is a folder"),
        ("sweep two.json --redo nothing", "E543 --redo has no 'nothing'"),
    ],
)
def test_other_places(words: str, told: str) -> None:
    assert told in refusal(*words.split())


def test_choices_are_told_in_plain_words() -> None:
    done = CliRunner().invoke(app, ["solve", "two.json", "--level", "opt7"])
    assert done.exit_code == 2
    assert "Value error" not in done.output
    assert "'opt7' is not one of 'opt1', 'opt2'" in done.output
