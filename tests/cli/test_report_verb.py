"""``streamopt report``, and what all verbs have in common, as a user meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import graph, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two.json, its project ``made``, and what -v said."""
    folder = tmp_path_factory.mktemp("reported")
    (folder / "two.json").write_text(json.dumps(graph()))
    options = ("--dsp", 40, "--tiling-limit", 2, "-o", "made", "--quiet")
    done = run(folder, "-v", "solve", "two.json", *options)
    assert done.stdout == ""
    (folder / "said.txt").write_text(done.stderr)
    return folder


def test_a_project_becomes_a_page_and_pictures(project: Path) -> None:
    options = ("--figures", "pictures", "--format", "svg", "--json")
    done = run(project, "report", "made", "-o", "made.html", *options)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["title"] == "two at opt5"
    assert found["files"][0] == "made.html"
    assert "pictures/dataflow.svg" in found["files"]
    assert all((project / name).is_file() for name in found["files"])
    assert "optimal in the opt5 model (proved)" in (project / "made.html").read_text()


def test_a_graph_alone_is_refused(project: Path) -> None:
    done = run(project, "report", "two.json")
    assert done.returncode == 2
    assert done.stderr.startswith("error: E874 two.json is a graph without a schedule\n  hint: ")
    assert not (project / "report.html").exists()


def test_other_tables_are_refused(project: Path) -> None:
    (project / "other.csv").write_text("a,b\n1,2\n")
    done = run(project, "report", "other.csv")
    assert done.returncode == 2
    assert "E873 these are no rows of a comparison" in done.stderr


def test_verbose_tells_what_is_done(project: Path) -> None:
    said = (project / "said.txt").read_text()
    assert "ms  streamopt.pipeline.reading: read two.json: " in said
    assert "optimal by search" in said


def test_every_verb_has_json_and_quiet() -> None:
    from typer.main import get_command

    from streamopt.cli.main import app

    verbs = getattr(get_command(app), "commands")  # noqa: B009
    assert {"report", "doctor", "solve"} <= set(verbs)
    for name, verb in verbs.items():
        options = {option for parameter in verb.params for option in parameter.opts}
        assert {"--json", "--quiet"} <= options, name


def test_shells_complete_verbs() -> None:
    code = "import sys; sys.argv = ['streamopt']; from streamopt.cli.main import main; main()"
    asked = {"_STREAMOPT_COMPLETE": "complete_bash", "COMP_WORDS": "streamopt re"}
    env = {**os.environ, **asked, "COMP_CWORD": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["report"]
