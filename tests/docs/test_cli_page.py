"""The pages of the command line are what the command line says, and say what it does."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from streamopt.cli import ENVIRONMENT, EXIT_CODES
from streamopt.cli.main import EXAMPLES, app

TOP = Path(__file__).parents[2]
PAGES: dict[str, Any] = runpy.run_path(str(TOP / "docs" / "manual.py"))["PAGES"]
VERBS: list[str] = [*getattr(get_command(app), "commands", {})]
READ = re.compile(
    r"""environ(?:\.get\(|\[)"(\w+)"|"(\w+)" in os\.environ|^ +home="(\w+)",$""", re.M
)


@pytest.mark.parametrize("page", PAGES)
def test_page_is_up_to_date(page: str) -> None:
    assert (TOP / "docs" / page).read_text(encoding="utf-8") == PAGES[page](), "run `make cli`"


def test_page_has_every_verb_with_its_examples() -> None:
    text = PAGES["cli.md"]()
    assert re.findall(r"^## streamopt (\w+)$", text, re.MULTILINE) == VERBS
    assert {*EXAMPLES} <= {*VERBS}
    for code in EXIT_CODES:
        assert f"<code>{code}</code>" in text


def test_examples_have_options_that_there_are() -> None:
    text = PAGES["cli.md"]()
    for part in text.split("\n## streamopt ")[1:]:
        terms, _, examples = part.partition("```sh")
        examples = examples.partition("```")[0]
        told = {word for term in re.findall(r"<code>(.*?)</code>", terms) for word in term.split()}
        used = {word for word in examples.split() if re.match(r"--?[a-z]", word)}
        assert used <= {word.rstrip(",") for word in told}, part.splitlines()[0]


def test_every_variable_that_is_read_is_told() -> None:
    sources = (path.read_text() for path in (TOP / "streamopt").rglob("*.py"))
    read = {name for text in sources for names in READ.findall(text) for name in names if name}
    told = {name for names in ENVIRONMENT for name in names.split(", ")}
    assert read - {"PYTHONPATH"} == told - {"TMPDIR"}  # one is handed on, one is read by tempfile


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
def test_man_reads_the_page() -> None:
    words = ["man", "--warnings", "-l", str(TOP / "docs" / "streamopt.1")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "--latency-target CYCLES" in done.stdout
