"""Rows in processes of their own: limits, crashes, and who ends with whom."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt import workers
from streamopt.pipeline.comparing import ComparisonCase
from streamopt.sweeping.points import Point, task_of
from streamopt.sweeping.rows import RowClient, local_rows

if TYPE_CHECKING:
    from collections.abc import Generator

    from streamopt.pipeline.comparing import Row

GRAPHS = Path(__file__).parents[2] / "graphs"
PATIENCE_SECONDS = 60
QUICK, LONG = "polybench/bicg", "transformers/multi_head_attention"
"""Programs whose rows take far less than a second, and many seconds."""


@pytest.fixture
def client() -> Generator[RowClient]:
    found = RowClient()
    yield found
    found.close()


def point(program: str) -> Point:
    graph = (GRAPHS / f"{program}.json").read_text()
    way = ComparisonCase(
        level="opt5",
        solver="auto" if program == QUICK else "cpsat",
        tiling_limit=16 if program == QUICK else 1,
    )
    return Point(program, program, graph, way, 600.0, "u280", None)


def children(process: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False
    )
    return [int(text) for text in listed.stdout.split()]


def wait_for(condition: Any) -> Any:
    deadline = monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        assert monotonic() < deadline
        sleep(0.02)
    return found


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_row_is_killed_at_its_limit_and_the_next_is_measured(client: RowClient) -> None:
    late = client.row(task_of(replace(point(LONG), row_limit_seconds=0.2)))
    assert (late["status"], late["message"]) == ("timed_out", "no answer within 0.2 s")
    done = client.row(task_of(point(QUICK)))
    assert (done["status"], done["objective_cycles"]) == ("done", 1065)


def test_crash_of_a_row_is_a_row(client: RowClient) -> None:
    answers: list[Row] = []
    asking = Thread(target=lambda: answers.append(client.row(task_of(point(LONG)))))
    asking.start()
    server = wait_for(lambda: children(os.getpid()) and client_server(client))
    row = wait_for(lambda: children(server))[0]
    os.kill(row, signal.SIGSEGV)
    asking.join(PATIENCE_SECONDS)
    assert answers[0]["status"] == "crashed"
    assert answers[0]["message"] == "its process ended with signal 11"


def client_server(client: RowClient) -> int:
    worker = client._worker  # pyright: ignore[reportPrivateUsage]
    return 0 if worker is None else worker.process.pid


def test_rows_end_with_the_process_that_is_killed() -> None:
    code = (
        "import json, sys; from streamopt.sweeping.rows import RowClient; "
        "RowClient().row(json.loads(sys.stdin.readline()))"
    )
    top = Path(so.__file__).parents[1]
    asking = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(top)},
    )
    assert asking.stdin is not None
    asking.stdin.write(json.dumps(task_of(point(LONG))).encode() + b"\n")
    asking.stdin.close()
    server = wait_for(lambda: children(asking.pid))[0]
    row = wait_for(lambda: children(server))[0]
    asking.kill()
    asking.wait()
    wait_for(lambda: not is_alive(server) and not is_alive(row))


def test_closing_ends_what_runs() -> None:
    rows = local_rows([point(QUICK), point(LONG)], jobs=1)
    found, row = next(rows)
    assert (found.program, row["status"]) == (QUICK, "done")
    started = monotonic()
    rows.close()
    assert monotonic() - started < PATIENCE_SECONDS


def test_server_that_cannot_start_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers.sys, "executable", "false")
    with pytest.raises(so.StreamoptError, match="E888 the process that measures rows can't start"):
        next(local_rows([point(LONG)], jobs=1))
