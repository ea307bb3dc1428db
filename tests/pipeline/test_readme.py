"""The README's code and commands do what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]
TEXT = (TOP / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def place(tmp_path: Path) -> Path:
    shutil.copytree(TOP / "graphs", tmp_path / "graphs", dirs_exist_ok=True)
    return tmp_path


def test_python_blocks_run(tmp_path: Path) -> None:
    found = blocks("python")
    assert found
    for block in found:
        subprocess.run([sys.executable, "-c", block], cwd=place(tmp_path), check=True)


def test_graph_block_solves(tmp_path: Path) -> None:
    (block,) = blocks("json")
    (tmp_path / "graph.json").write_text(block)
    command = [sys.executable, "-c", "from streamopt.cli.main import main; main()"]
    subprocess.run([*command, "solve", "graph.json", "--dsp", "64"], cwd=tmp_path, check=True)


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    shown = next(block for block in blocks("") if "$ streamopt solve" in block)
    place(tmp_path)
    command = [sys.executable, "-c", "from streamopt.cli.main import main; main()"]
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    for line in re.findall(r"^\$ streamopt (.*)$", shown, re.MULTILINE):
        done = subprocess.run(
            [*command, *line.split()],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        if line.startswith("solve"):
            table = [row for row in shown.splitlines() if "│" in row]
            assert table
            for row in table:
                assert row.strip() in done.stdout
