"""The command line as a user meets it, and a small graph to try it on."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

TOP = Path(__file__).parents[2]
MATMUL = TOP / "graphs" / "polybench" / "3mm.json"
RUN = [sys.executable, "-c", "from streamopt.cli.main import main; main()"]
TERMINAL = {"COLUMNS": "120", "NO_COLOR": "1"}


def invoke(words: Sequence[str], stdout: TextIO, stderr: TextIO) -> int:
    """Run a command in this process, which has loaded the packages; return the exit code."""
    from streamopt.cli.main import main

    with (
        _process_as_before(),
        patch.object(sys, "argv", [*words]),
        redirect_stdout(stdout),
        redirect_stderr(stderr),
    ):
        try:
            main()
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else 0
    return 0


@contextmanager
def _process_as_before() -> Generator[None]:
    """Take back what a command sets for its whole process: the handler of SIGTERM, ``-v``."""
    handler, logger = signal.getsignal(signal.SIGTERM), logging.getLogger("streamopt")
    level, handlers = logger.level, [*logger.handlers]
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)
        logger.setLevel(level)
        logger.handlers[:] = handlers


def run(cwd: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run ``streamopt`` in a folder; `run_apart` does so in a process of its own."""
    words = ["streamopt", *map(str, arguments)]
    stdout, stderr = (TextIOWrapper(BytesIO(), "utf-8", newline="") for _ in range(2))
    with chdir(cwd), patch.dict(os.environ, TERMINAL):
        code = invoke(words, stdout, stderr)
    said = [text.detach().getvalue().decode() for text in (stdout, stderr)]
    return subprocess.CompletedProcess(words, code, *said)


def run_apart(cwd: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [*RUN, *map(str, arguments)]
    env = {**os.environ, **TERMINAL}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def graph(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema_version": 1,
        "name": "two",
        "arrays": {
            "A": {"shape": [8, 6], "role": "input"},
            "B": {"shape": [6, 8], "role": "input"},
            "C": {"shape": [8, 8], "role": "internal"},
            "Y": {"shape": [8, 8], "role": "output"},
        },
        "nodes": [
            {
                "name": "product",
                "loops": {"i": 8, "j": 8, "k": 6},
                "body": ["C[i][j] += A[i][k] * B[k][j]"],
            },
            {"name": "act", "loops": {"i": 8, "j": 8}, "body": ["Y[i][j] = relu(C[i][j])"]},
        ],
    }
    document.update(changes)
    return document


def with_body(text: str) -> dict[str, Any]:
    document = graph()
    document["nodes"][1]["body"] = [text]
    return document
