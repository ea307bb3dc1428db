"""The programs of the gallery: programs.toml, and their sources."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TOP = HERE.parents[1]


@dataclass(frozen=True, slots=True)
class Listed:
    """A program of the gallery.

    Attributes
    ----------
    source
        A file, with the name of a module or a program behind a colon where one is needed.
    size
        What it computes on, in words.
    inputs
        Shapes that a module is read for.
    """

    name: str
    title: str
    source: str
    size: str
    inputs: str = ""

    @property
    def path(self) -> str:
        """Return the file of the source, from the top of the checkout."""
        return self.source.partition(":")[0]

    @property
    def language(self) -> str:
        """Return the source's language."""
        if self.path.endswith(".c"):
            return "C"
        return "PyTorch" if self.inputs else "Python DSL"

    @property
    def command(self) -> str:
        """Return the command that makes the design, verifies it and writes its report."""
        inputs = f" --inputs {self.inputs}" if self.inputs else ""
        return f"streamopt run {self.source}{inputs}"

    def excerpt(self) -> str:
        """Return the function or class, or the whole file without its first comment."""
        text = (TOP / self.path).read_text(encoding="utf-8")
        name = self.source.partition(":")[2]
        if name and name[0].isupper():
            return text[text.index(f"class {name}") :].split("\n\n\n")[0].strip() + "\n"
        if self.language == "C":
            return re.sub(r"\A\s*/\*.*?\*/\s*", "", text, flags=re.DOTALL)
        return text.partition('"""\n\n')[2]


def listed() -> tuple[Listed, ...]:
    """Return all programs in the order of the page."""
    with (HERE / "programs.toml").open("rb") as file:
        return tuple(Listed(**each) for each in tomllib.load(file)["program"])
