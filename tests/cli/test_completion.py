"""Completion in bash, zsh and fish: verbs, options, values, and lists with commas."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from streamopt.cli.completion import codes, listing, rewrites, solvers
from streamopt.cli.error_codes import catalogue
from streamopt.cli.main import app
from streamopt.solvers.registry import SOLVERS
from streamopt.strategies.opt6.choices import Space
from streamopt.target.device import device_names

TOP = Path(__file__).parents[2]
COMPLETED = [
    ("so", {"solve", "solvers"}),
    ("solve --lev", {"--level"}),
    ("solve --level ", {f"opt{number}" for number in range(1, 7)}),
    ("solve kernel.c --device u2", {"u250", "u280"}),
    ("solve --device board", set[str]()),  # files: a device of one's own
    ("solve --solver sc", {"scip", "scipy"}),
    ("solve --without partial", {"partial_tiles"}),
    ("compare --levels opt5,opt", {f"opt5,opt{number}" for number in (1, 2, 3, 4, 6)}),
    ("compare --strategies h", {"hida"}),
    ("emit --backend t", {"tapa"}),
    ("emit --vitis 2024", {"2024.1", "2024.2"}),
    ("explain W0", {f"W0{number}" for number in range(1, 10)}),
    ("solve ker", set[str]()),  # files
    ("verify ", set[str]()),
]


def completed(shell: str, line: str) -> set[str]:
    """Return the words that streamopt proposes where a shell's own script asks it."""
    words = ["streamopt", *shlex.split(line)]
    asked = {
        "_STREAMOPT_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": f"streamopt {line}",
        "COMP_CWORD": str(len(words) - (not line.endswith(" "))),
        "_TYPER_COMPLETE_ARGS": f"streamopt {line}",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = streamopt(asked)
    if shell == "zsh":
        assert done.strip() == "_files" or done.startswith("_arguments")
        return {text.split('"')[1] for text in done.splitlines() if '"' in text}
    return {text.split("\t")[0] for text in done.splitlines() if text.strip()}


def streamopt(environment: dict[str, str]) -> str:
    return CliRunner().invoke(app, [], env=environment, prog_name="streamopt").stdout


@pytest.mark.parametrize(("line", "words"), COMPLETED)
def test_words_are_proposed(line: str, words: set[str]) -> None:
    assert completed("bash", line) == words


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize("line", ["so", "solve --level ", "compare --levels opt5,opt", "verify "])
def test_every_shell_gets_the_same(shell: str, line: str) -> None:
    assert completed(shell, line) == dict(COMPLETED)[line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_those_of_the_shells(shell: str, tmp_path: Path) -> None:
    script = tmp_path / f"completion.{shell}"
    script.write_text(streamopt({"_STREAMOPT_COMPLETE": f"source_{shell}"}))
    assert "_STREAMOPT_COMPLETE" in script.read_text()
    if (program := shutil.which(shell)) is not None:
        subprocess.run([program, "-n", script], check=True)


def test_bash_completes_what_is_typed(tmp_path: Path) -> None:
    """The script is sourced and its function called, as bash does on a tab."""
    program = tmp_path / "streamopt"
    code = "from streamopt.cli.main import main; main()"
    program.write_text(f"#!{sys.executable}\n{code}\n")
    program.chmod(0o755)
    script = streamopt({"_STREAMOPT_COMPLETE": "source_bash"})
    typed = "COMP_WORDS=(streamopt solve --fit raw); COMP_CWORD=3; _streamopt_completion streamopt"
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(TOP),
    }
    done = subprocess.run(
        ["bash", "--norc", "-c", f'{script}\n{typed}; echo "${{COMPREPLY[@]}}"'],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["raw", "raw-device"]


def test_all_that_is_known_is_proposed() -> None:
    assert {*SOLVERS, "auto", "race"} <= {*solvers()}
    assert Space(without=frozenset(rewrites()))
    assert [code for start in "EW" for code in codes(start)] == [*catalogue()]
    assert codes("") == []
    assert listing(device_names())("u280,u2") == ["u280,u250"]
