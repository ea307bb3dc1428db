"""Whatever is read, it ends soon, in little memory, with a program or with coded errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.attacks import ATTACKS
from tests.fuzz.limits import CPU_SECONDS, MEMORY_BYTES

TOP = Path(__file__).parents[2]
KINDS = ("c", "cpp", "json", "schedule", "turns", "weights", "onnx", "mlir")
FEW = (
    "c:0:14",
    "cpp:0:8",
    "json:1:20",
    "schedule:0:20",
    "turns:0:12",
    "weights:0:10",
    "onnx:0:8",
    "mlir:0:2",
)
EACH = 2000
SLOW = {
    "json: 30 loops",
    "json: extent of an int",
    "json: 2000 nodes",
    "json: 30000 nodes",
    "c: 1000 statements",
    "c: 800 loops",
    "c: loop of 2^40",
    "c: loops of depth 300",
    "c: macros that double",
    "weights: not a number",
    "weights: unpacks to 1 GB",
    *(name for name in ATTACKS if name.startswith("cpp: ")),
}
"""Attacks of seconds."""


def tried(folder: Path, *words: str) -> list[dict[str, Any]]:
    """Return the outcomes of a worker, which may leave nothing behind."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.worker", *words],
        cwd=TOP,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert [*folder.iterdir()] == []
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_outcomes(outcomes: list[dict[str, Any]]) -> None:
    faults = [f"{outcome['name']}: {outcome['fault']}" for outcome in outcomes if outcome["fault"]]
    assert not faults, "\n\n".join(faults)
    assert max(outcome["cpu_seconds"] for outcome in outcomes) < CPU_SECONDS
    assert max(outcome["resident_mib"] for outcome in outcomes) * 2**20 < MEMORY_BYTES


def test_mutated_inputs(tmp_path: Path) -> None:
    outcomes = tried(tmp_path, "30", *FEW)
    check_outcomes(outcomes)
    said = [outcome["said"] for outcome in outcomes]
    assert said.count("read") > len(said) / 10
    assert "exit code 0" in said


def test_attacks(tmp_path: Path) -> None:
    check_outcomes(tried(tmp_path, "attack", *(name for name in ATTACKS if name not in SLOW)))


@pytest.mark.nightly
def test_slow_attacks(tmp_path: Path) -> None:
    check_outcomes(tried(tmp_path, "attack", *sorted(SLOW)))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_many_mutated_inputs(kind: str, tmp_path: Path) -> None:
    check_outcomes(tried(tmp_path, "10", f"{kind}:0:{EACH}"))
