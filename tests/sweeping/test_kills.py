"""A sweep is killed at random moments: no row is lost, and none is measured twice."""

from __future__ import annotations

import csv
import json
import random
import signal
import subprocess
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest

from tests.support.small_experiment import ENVIRONMENT, RUN, small_experiment

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_SECONDS = 120


def journal_keys(folder: Path) -> list[str]:
    """Return the keys of all whole lines of rows; a line of anything else fails."""
    path = folder / "journal.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [entry["key"] for entry in map(json.loads, lines) if entry["kind"] == "row"]


def start(file: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*RUN, "sweep", str(file), "--jobs", "2", "--quiet"], cwd=file.parent, env=ENVIRONMENT
    )


def killed_after(file: Path, fresh_rows: int, more_seconds: float) -> None:
    """Start a sweep and kill it some time after it has that many rows of its own."""
    before, deadline = len(journal_keys(file.parent)), monotonic() + PATIENCE_SECONDS
    with start(file) as process:
        while len(journal_keys(file.parent)) < before + fresh_rows and process.poll() is None:
            assert monotonic() < deadline
            sleep(0.005)
        sleep(more_seconds)
        process.send_signal(signal.SIGKILL)


def check_restored(folder: Path, rows: int, kills: int, seed: int) -> None:
    file, chance = small_experiment(folder, rows), random.Random(seed)
    known: list[str] = []
    for _ in range(kills):
        killed_after(file, chance.randrange(1, rows // (kills + 2)), chance.uniform(0.0, 0.05))
        keys = journal_keys(folder)
        assert keys[: len(known)] == known
        assert len(keys) > len(known)
        known = keys
    assert len(known) < rows, "the kills came too late to show anything"
    with start(file) as process:
        assert process.wait(PATIENCE_SECONDS) == 0
    keys = journal_keys(folder)
    assert keys[: len(known)] == known
    assert len(keys) == len(set(keys)) == rows
    with (folder / "rows.csv").open() as table:
        found = list(csv.DictReader(table))
    assert {row["key"] for row in found} == set(keys)
    assert [row["seed"] for row in found] == [str(number) for number in range(rows)]
    assert {row["status"] for row in found} == {"done"}
    about = json.loads((folder / "environment.json").read_text())
    assert (about["rows"], about["of"]) == (rows, rows)
    assert sum(run["rows"] for run in about["runs"]) == rows
    assert len(about["runs"]) == kills + 1


def test_two_kills_take_no_row(tmp_path: Path) -> None:
    check_restored(tmp_path, rows=16, kills=2, seed=1)


@pytest.mark.nightly
def test_a_dozen_kills_take_no_row(tmp_path: Path) -> None:
    check_restored(tmp_path, rows=200, kills=12, seed=2)
