"""Help: -h, groups of options, examples; and -v behind the verb."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from streamopt.cli.main import app
from streamopt.cli.reading import listed, shapes
from tests.support.commands import graph

if TYPE_CHECKING:
    from pathlib import Path

VERBS: list[str] = [*getattr(get_command(app), "commands", {})]
READING = ("--top", "-D", "-I", "--param", "--live-out", "--inputs", "--shape", "--name")


def helped(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "-h"])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_h_and_v(verb: str) -> None:
    text = helped(verb)
    assert "-v, --verbose" in text
    assert "-h, --help" in text
    assert "{" not in text


def test_options_of_solve_are_in_groups_and_examples_follow() -> None:
    lines = helped("solve").splitlines()
    titles = [line for line in lines if line.endswith(":") and line[0] != " "]
    assert titles == [
        *("Arguments:", "Options:", "Decisions:", "Limits and device:", "Search:"),
        *("Output:", "Reading the source:", "Examples:"),
    ]
    examples = lines[lines.index("Examples:") + 1 :]
    assert len(examples) == 3
    assert all(line.startswith("  streamopt solve ") for line in examples)


@pytest.mark.parametrize(
    "verb", ["graph", "solve", "pareto", "design", "compare", "simulate", "report", "emit"]
)
def test_every_verb_reads_sources_with_the_options_of_graph(verb: str) -> None:
    words = {word for line in helped(verb).splitlines() for word in line.split()[:1]}
    assert {*READING} <= words


def test_a_source_with_options_is_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "void f(float a[N], float b[N], int n) { for (int i = 0; i < n; i++) b[i] = a[i] * a[i]; }"
    )
    (tmp_path / "f.c").write_text(text)
    words = ["solve", "f.c", "-D", "N=8", "--param", "n=8", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["name"] == "f"
    assert (tmp_path / "f.schedule.json").exists()


def test_v_behind_the_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.json").write_text(json.dumps(graph()))
    code = "from streamopt.cli.main import main; main()"  # -v is for the whole process
    words = [sys.executable, "-c", code, "graph", "two.json", "-o", "-", "-v"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "streamopt.pipeline.reading: read two.json" in done.stderr


def test_lists_by_commas_and_repetition() -> None:
    assert listed(["a,b", " c ", ""]) == ["a", "b", "c"]
    assert listed(["A=m_axi:HBM[0,1],B=axis"]) == ["A=m_axi:HBM[0,1]", "B=axis"]
    assert shapes(["x=1,3,x2=4x4", "y=2"]) == {"x": (1, 3), "x2": (4, 4), "y": (2,)}


def test_compare_takes_lists_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.json").write_text(json.dumps(graph()))
    words = ["compare", "two.json", "--levels", "opt1,opt2", "--levels", "opt3", "--json"]
    words += ["--dsp", "40,60", "--solver", "search"]
    rows = json.loads(CliRunner().invoke(app, words).stdout)
    assert [row["level"] for row in rows] == ["opt1", "opt2", "opt3"] * 2
    assert [row["dsp_limit"] for row in rows] == [40] * 3 + [60] * 3


@pytest.mark.parametrize(("option", "told"), [("--seed", "a whole number"), ("--work", "a number")])
def test_words_in_place_of_numbers_are_told_in_ours(option: str, told: str) -> None:
    done = CliRunner().invoke(app, ["solve", "two.json", option, "x"])
    assert done.exit_code == 2
    assert f"Invalid value for '{option}': {told} is expected" in done.output
