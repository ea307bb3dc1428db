"""Code blocks of a Markdown page: found, written to files where they are files, and run.

A block runs unless ``<!-- not run: reason -->`` or ``<!-- nightly: reason -->`` is right above.
A ``python`` block runs as a program of its own, in the current folder; only below
``<!-- continues: reason -->`` it has the names of the block before. Of a ``console`` block every
``$ streamopt`` line runs and has to print the lines below it, where ``...`` stands for others. A
block with a ``title="file"`` is written to that file.
"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.support.commands import invoke

TOP = Path(__file__).parents[2]
FENCE = re.compile(
    r"^(?:<!-- (?P<mark>not run|nightly|continues): (?P<reason>[^>]+) -->\n)?"
    r"```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
RUN = {"python", "console"}


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block; ``mark`` is empty for those that CI runs."""

    page: Path
    line: int
    language: str
    title: str
    text: str
    mark: str

    @property
    def runs(self) -> bool:
        return self.language in RUN and self.mark != "not run"


def pages() -> list[Path]:
    """Return the pages whose blocks are run, from the top of the checkout."""
    found = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").rglob("*.md"))]
    return [path.relative_to(TOP) for path in found]


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in order."""
    text = (TOP / page).read_text(encoding="utf-8")
    return [
        Block(
            page=page,
            line=text.count("\n", 0, match.start("text")) + 1,
            language=match["language"],
            title=match["title"] or "",
            text=match["text"],
            mark=match["mark"] or "",
        )
        for match in FENCE.finditer(text)
    ]


def run_page(page: Path, *, nightly: bool) -> int:
    """Run a page's blocks in the current folder; return how many ran."""
    names: dict[str, Any] = {}
    ran = 0
    for block in blocks(page):
        if block.title and block.mark != "not run":
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text, encoding="utf-8")
        if not block.runs or (block.mark == "nightly" and not nightly):
            continue
        ran += 1
        if block.language == "python":
            names = _run_python(block, names if block.mark == "continues" else {})
        else:
            _run_console(block)
    return ran


def _run_python(block: Block, names: dict[str, Any]) -> dict[str, Any]:
    """Run a block as ``python`` in this folder would; return its names."""
    names = {"__name__": "__main__", **names}
    here = str(Path.cwd())
    before = {*sys.modules}
    with patch.object(sys, "path", [here, *sys.path]):
        code = compile(block.text, f"{block.page}:{block.line}", "exec", dont_inherit=True)
        exec(code, names)
    for name in {*sys.modules} - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == Path(here):
            del sys.modules[name]
    return names


def _run_console(block: Block) -> None:
    for command, shown in _commands(block.text):
        seen = set[str]()
        for one in command.split(" && "):
            words = shlex.split(one, comments=True)
            assert words[0] == "streamopt", f"{block.page}:{block.line}: {one}"
            printed = _streamopt(words, fails=any(line.startswith("error:") for line in shown))
            seen |= {_squeezed(line) for line in printed.splitlines()}
        missing = [line for line in shown if _squeezed(line) not in seen | {"", "..."}]
        where = f"{block.page}:{block.line}: {command}"
        assert not missing, f"{where}\n{missing}\nnot in\n{sorted(seen)}"


def _squeezed(line: str) -> str:
    """Return a line with single blanks: the width of a table depends on the seconds in it."""
    return " ".join(line.replace("─", "").split())


def _commands(text: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


def _streamopt(words: list[str], *, fails: bool) -> str:
    printed = StringIO()
    code = invoke(words, printed, printed)
    assert bool(code) == fails, f"{shlex.join(words)} ended with {code}:\n{printed.getvalue()}"
    return printed.getvalue()
