"""A process that measures rows, each in a child that is killed at its limit.

It reads points as lines of JSON on stdin and answers each with the row on stdout. Everything is
imported once, and a child is forked for every row. When stdin ends, also because the process that
asks was killed, the row that runs ends with all its children.
"""

from __future__ import annotations

import json
import os
import select
import signal
from contextlib import suppress
from functools import cache
from importlib import import_module
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from streamopt.errors import StreamoptError
from streamopt.pipeline.comparing import ComparisonCase, row_of

if TYPE_CHECKING:
    from streamopt.pipeline.comparing import Row
    from streamopt.target.device import Target

__all__ = ["READY", "measured", "serve"]

STDIN, STDOUT, STDERR = 0, 1, 2
READY = b"ready\n"
"""The first line of all: that points are read from now on."""

READ_BYTES = 65536
USED_BY_EVERY_ROW = (
    "streamopt.analysis.coverage",
    "streamopt.formats.graph_json.document",
    "streamopt.perf.as_built.closed_form",
    "streamopt.perf.pipelines.clock",
    "streamopt.perf.as_built.node_operators",
    "streamopt.perf.pipelines.timings",
    "streamopt.perf.resources.network",
    "streamopt.pipeline.reading",
    "streamopt.search.relaxation.master_program",
    "streamopt.sim.depths",
    "streamopt.solvers.profiles",
    "streamopt.strategies.exact.boxes",
    "streamopt.strategies.dispatch",
    "streamopt.strategies.exact.diving",
    "streamopt.strategies.exact.latency",
    "streamopt.strategies.exact.fewest_dsps",
    "streamopt.target.device",
    "streamopt.target.documents",
    "streamopt.target.loading",
    "streamopt.transforms.apply",
    "streamopt.transforms.canonicalize",
    "streamopt.transforms.lower",
)
"""Imported before the first child is made."""

LOOK_AGAIN_SECONDS = 1.0
"""How often a child is looked after that ends without an answer while a child of its own lives."""


def measured(task: dict[str, Any]) -> Row:
    """Return the row of a point, or why there is none as ``status`` and ``message``."""
    from streamopt.formats.graph_json import read_graph_json
    from streamopt.pipeline import dataflow

    started = perf_counter()
    try:
        graph = dataflow(read_graph_json(task["graph"], task["program"]))
        on = _device(task["device"], task["clock_ns"])
        row: Row = {"status": "done", **row_of(graph, ComparisonCase(**task["way"]), on)}
    except StreamoptError as error:
        reasons = "; ".join(f"{each.code} {each.message}" for each in error.diagnostics)
        row = {"status": "refused", "message": reasons}
    except Exception as error:  # a bug in one row must not end the sweep
        row = {"status": "failed", "message": f"{type(error).__name__}: {error}"}
    return {**row, "row_seconds": round(perf_counter() - started, 3)}


@cache
def _device(name: str, clock_ns: float | None) -> Target:
    from streamopt.pipeline import device

    return device(name, clock_ns)


def serve() -> None:
    """Answer points until stdin ends."""
    answers = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)  # what a solver prints must not get between the answers
    for name in USED_BY_EVERY_ROW:
        import_module(name)
    _write(answers, READY)
    found = b""
    while more := os.read(STDIN, READ_BYTES):
        found += more
        if found.endswith(b"\n"):  # who asks waits for the answer: it is one task
            row = _in_child(json.loads(found))
            _write(answers, json.dumps(row).encode() + b"\n")
            found = b""


def _in_child(task: dict[str, Any]) -> Row:
    """Return the row that a child finds within the point's limit; kill it otherwise."""
    with suppress(StreamoptError):  # the child says what is wrong with it
        _device(task["device"], task["clock_ns"])  # read once for all rows
    ours, theirs = os.pipe()
    started = monotonic()
    child = os.fork()
    if not child:
        os.close(ours)
        _be_child(theirs, task)
    os.close(theirs)
    try:
        answer = _answer(ours, child, started + task["row_limit_seconds"])
    finally:
        os.close(ours)
        _end(child)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    seconds: Row = {"row_seconds": round(monotonic() - started, 3)}
    if answer is None:
        message = f"no answer within {task['row_limit_seconds']:g} s"
        return {"status": "timed_out", "message": message, **seconds}
    if not answer:
        words = f"signal {-code}" if code < 0 else f"exit code {code}"
        return {"status": "crashed", "message": f"its process ended with {words}", **seconds}
    return json.loads(answer)


def _be_child(answers: int, task: dict[str, Any]) -> None:
    """Measure, answer and end: the whole life of a child."""
    code = 1
    try:
        os.setsid()  # the group is what is killed: solvers that run as processes are in it
        os.dup2(os.open(os.devnull, os.O_RDONLY), STDIN)
        _write(answers, json.dumps(measured(task)).encode() + b"\n")
        code = 0
    finally:
        os._exit(code)


def _answer(pipe: int, child: int, deadline: float) -> bytes | None:
    """Return a child's line, empty if it ended without one, None if its time is over."""
    found = b""
    while (left := deadline - monotonic()) > 0:
        ready, _, _ = select.select([pipe, STDIN], [], [], min(left, LOOK_AGAIN_SECONDS))
        if STDIN in ready and not os.read(STDIN, READ_BYTES):
            _end(child)
            os._exit(0)  # nobody asks any more
        if pipe in ready:
            more = os.read(pipe, READ_BYTES)
            found += more
            if found.endswith(b"\n"):
                return found
            if not more:
                os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)  # before it is killed
                return b""
        elif not ready and _has_ended(child):
            return b""
    return None


def _has_ended(child: int) -> bool:
    """Return whether a child is over; it stays to be waited for."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(child: int) -> None:
    """Kill a child with its group, or alone where it has none yet."""
    for kill in (os.killpg, os.kill):
        try:
            kill(child, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _write(pipe: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(pipe, left) :]


if __name__ == "__main__":
    serve()
