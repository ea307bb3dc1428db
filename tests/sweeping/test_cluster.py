"""A sweep on a real scheduler with real workers, of which one is killed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.errors import SweepError
from streamopt.extras import installing
from streamopt.sweeping import cluster
from tests.support.small_experiment import ENVIRONMENT, small_experiment

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

ROWS = 12
PATIENCE_SECONDS = 60


@pytest.fixture
def processes() -> Generator[list[subprocess.Popen[bytes]]]:
    found: list[subprocess.Popen[bytes]] = []
    yield found
    for process in found:
        process.kill()
        process.wait()


def dask(command: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{command}", *arguments],
        env=ENVIRONMENT,
        stderr=subprocess.DEVNULL,
    )


def test_killed_worker_takes_no_row(
    tmp_path: Path, processes: list[subprocess.Popen[bytes]]
) -> None:
    pytest.importorskip("distributed")
    file, about = small_experiment(tmp_path, ROWS), tmp_path / "scheduler.json"
    where = ("--scheduler-file", str(about))
    processes.append(dask("scheduler", *where, "--host", "127.0.0.1", "--port", "0",
                          "--no-dashboard"))  # fmt: skip
    processes.extend(
        dask("worker", *where, "--no-nanny", "--nthreads", "1", "--no-dashboard",
             "--local-directory", str(tmp_path))
        for _ in range(2)
    )  # fmt: skip
    deadline = monotonic() + PATIENCE_SECONDS
    while not about.exists() or not about.read_text():
        assert monotonic() < deadline
        sleep(0.05)
    address = json.loads(about.read_text())["address"]

    def kill_one(there: int, total: int, name: str) -> None:
        del total, name
        if there == 3:
            processes[1].kill()

    table: Any = so.sweep(file, dask=address, on_progress=kill_one)
    assert list(table["status"]) == ["done"] * ROWS
    assert list(table["seed"]) == list(range(ROWS))
    assert processes[1].poll() is not None
    lines = (tmp_path / "journal.jsonl").read_text().splitlines()
    keys = [json.loads(line)["key"] for line in lines if json.loads(line)["kind"] == "row"]
    assert len(keys) == len(set(keys)) == ROWS


def test_no_scheduler_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.3)
    with pytest.raises(SweepError, match="E886 there is no Dask scheduler at tcp://127"):
        so.sweep(small_experiment(tmp_path, 1), dask="tcp://127.0.0.1:1")


def test_missing_package_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SweepError, match=re.escape(installing("dask"))):
        so.sweep(small_experiment(tmp_path, 1), dask="tcp://127.0.0.1:1")
