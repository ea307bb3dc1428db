"""Rows on this machine, each measured in a process of its own that is killed at its limit.

`serve` runs in a worker, measures one small row so that everything is loaded, and forks a child
for each point that comes. When nobody asks any more, also because the process that asks was
killed, the row that is measured ends with all its children.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, StreamoptError, SweepError
from streamopt.report.record import Row
from streamopt.sweeping.points import Point, task_of
from streamopt.workers import TimedOutError, Worker, WorkerDiedError, in_child

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from streamopt.target.device import Target

SMALL_GRAPH = """{"schema_version": 1, "name": "first_row",
 "arrays": {"A": {"role": "input", "shape": [2, 2]}, "B": {"role": "internal", "shape": [2]},
            "C": {"role": "output", "shape": [2]}},
 "nodes": [{"name": "sum", "loops": {"i": 2, "j": 2}, "body": ["B[i] += A[i][j]"]},
           {"name": "scale", "loops": {"i": 2}, "body": ["C[i] = B[i] * 2.0"]}]}"""
SMALL_ROW = {
    "program": "first_row",
    "graph": SMALL_GRAPH,
    "way": {"level": "opt5", "tiling_limit": 1},
    "device": "u280",
    "clock_ns": None,
}
"""A task that loads everything that rows use."""


def measured(task: dict[str, Any]) -> Row:
    """Return the row of a point, or why there is none as ``status`` and ``message``."""
    from streamopt.formats.graph_json import read_graph_json
    from streamopt.pipeline.comparing import ComparisonCase, row_of
    from streamopt.pipeline.reading import dataflow

    started = perf_counter()
    try:
        graph = dataflow(read_graph_json(task["graph"], task["program"]))
        device = _device(task["device"], task["clock_ns"])
        row: Row = {"status": "done", **row_of(graph, ComparisonCase(**task["way"]), device)}
    except StreamoptError as error:
        reasons = "; ".join(f"{each.code} {each.message}" for each in error.diagnostics)
        row = {"status": "refused", "message": reasons}
    except Exception as error:  # a bug in one row must not end the sweep
        row = {"status": "failed", "message": f"{type(error).__name__}: {error}"}
    return {**row, "row_seconds": round(perf_counter() - started, 3)}


@cache
def _device(name: str, clock_ns: float | None) -> Target:
    from streamopt.target.device import find_device

    return find_device(name, clock_ns)


def serve(asking: Connection) -> None:
    """Answer points until nobody asks any more; the first answer is the small row."""
    asking.send(measured(SMALL_ROW))
    with suppress(EOFError):
        while True:
            asking.send(_row_of(asking.recv(), asking))


def _row_of(task: dict[str, Any], asking: Connection) -> Row:
    """Return the row that a child finds within the point's limit."""
    with suppress(StreamoptError):  # the child says what is wrong with it
        _device(task["device"], task["clock_ns"])  # read once for all rows
    started, limit = perf_counter(), task["row_limit_seconds"]
    try:
        return in_child(measured, task, limit, asking)
    except TimedOutError:
        row: Row = {"status": "timed_out", "message": f"no answer within {limit:g} s"}
    except WorkerDiedError as error:
        row = {"status": "crashed", "message": f"its process ended with {error}"}
    return {**row, "row_seconds": round(perf_counter() - started, 3)}


class RowClient:
    """Measures one point after the other, by a worker that starts when needed, also after a crash.

    Close it, or it closes when its process ends.
    """

    def __init__(self) -> None:
        self._worker: Worker | None = None

    def row(self, task: dict[str, Any]) -> Row:
        """Return the row of a task, see `streamopt.sweeping.points.task_of`.

        Raises
        ------
        SweepError
            E888 if the worker can't start.
        """
        try:
            return self._running().ask(task)
        except WorkerDiedError as error:
            self.close()
            return {"status": "crashed", "message": f"the process that measures ended: {error}"}

    def close(self) -> None:
        """End the worker, and a row that it measures."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def interrupt(self) -> None:
        """End the worker from another thread than the one that waits for its answer."""
        if self._worker is not None:
            self._worker.hang_up()

    def _running(self) -> Worker:
        if self._worker is None:
            self._worker = Worker("streamopt.sweeping.rows:serve")
            try:
                self._worker.receive()
            except WorkerDiedError:
                message = "the process that measures rows can't start"
                hint = "its own words are on stderr"
                raise SweepError(Diagnostic("E888", message, hint=hint)) from None
        return self._worker


def local_rows(points: Sequence[Point], jobs: int) -> Generator[tuple[Point, Row]]:
    """Yield every point with its row as soon as there is one; closing it ends what runs."""
    todo: SimpleQueue[Point | None] = SimpleQueue()
    done: SimpleQueue[tuple[Point, Row] | SweepError] = SimpleQueue()
    for point in points:
        todo.put(point)
    clients = [RowClient() for _ in range(min(jobs, len(points)))]
    threads = [Thread(target=_work, args=(client, todo, done), daemon=True) for client in clients]
    for thread in threads:
        todo.put(None)
        thread.start()
    try:
        for _ in points:
            found = done.get()
            if isinstance(found, SweepError):
                raise found
            yield found
    finally:
        while not todo.empty():
            todo.get()
        for _ in threads:
            todo.put(None)
        for client in clients:
            client.interrupt()
        for thread in threads:
            thread.join()


def _work(
    client: RowClient,
    todo: SimpleQueue[Point | None],
    done: SimpleQueue[tuple[Point, Row] | SweepError],
) -> None:
    try:
        while (point := todo.get()) is not None:
            done.put((point, client.row(task_of(point))))
    except SweepError as error:
        done.put(error)
    finally:
        client.close()
