"""Temporary folders of killed processes are removed at the next run; others stay."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.verification import scratch

if TYPE_CHECKING:
    import pytest

CODE = """
import os, sys, tempfile
from streamopt.verification.scratch import scratch
tempfile.tempdir = sys.argv[1]
with scratch("csim") as at:
    (at / "file").write_text("left")
    print(at, flush=True)
    sys.stdin.read()
"""


def test_folder_lasts_as_long_as_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_YOUNG_SECONDS", -1.0)
    (tmp_path / "streamopt-mine").mkdir()
    command = [sys.executable, "-c", CODE, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        with scratch.scratch("verify") as own:
            assert left.is_dir()
            assert own.is_dir()
        assert not own.exists()
        process.kill()
    assert left.is_dir()
    with scratch.scratch("verify"):
        assert not left.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["streamopt-mine"]
