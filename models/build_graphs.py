"""Write the dataflow graphs of the measured programs to ``graphs/<suite>/<name>.json``.

``python models/build_graphs.py`` reads the sources in ``kernels/`` (C) and ``modules/`` (PyTorch)
and writes the graphs; with ``--check`` it exits with 1 if a file on disk differs from what it would
write. Nodes, loop orders and copies are those of the programs that Stream-HLS was measured on
([1] section 5), without the nodes that only store a result and without the transposing copies of
atax and mvt.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from modules.programs import MODULES, program_of

import streamopt as so
from streamopt.formats.graph_json import write_graph_json

if TYPE_CHECKING:
    from collections.abc import Iterator

MODELS = Path(__file__).resolve().parent
GRAPHS = MODELS.parent / "graphs"


def graphs() -> Iterator[tuple[Path, str]]:
    """Yield path and text of every graph; places in the sources are relative to the checkout."""
    for path in sorted(Path("models", "kernels", "polybench").glob("*.c")):
        program = so.load(path, name=path.stem)
        yield (
            GRAPHS / path.parent.name / f"{path.stem}.json",
            write_graph_json(program, description(path.read_text(encoding="utf-8"))),
        )
    for listed in MODULES:
        program = replace(program_of(listed), values={}, sample={})  # random ones, and large
        text = write_graph_json(program, listed.description)
        yield GRAPHS / listed.suite / f"{listed.name}.json", text


def description(source: str) -> str:
    """Return the comment that a C file begins with, on one line."""
    comment = re.match(r"/\*(.*?)\*/", source, re.DOTALL)
    return " ".join(comment[1].split()).removesuffix(".") if comment else ""


def main() -> int:
    """Write or check all graphs; return the exit code."""
    parser = argparse.ArgumentParser(description="Write graphs/<suite>/<name>.json.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare only")
    check = bool(parser.parse_args().check)
    with chdir(MODELS.parent):
        texts = dict(graphs())
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        sys.stdout.write(f"{'differs' if check else 'written'}: {path.relative_to(GRAPHS)}\n")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
