"""Rows on this machine: some at the same time, each in a process of its own."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from streamopt.errors import SweepError
from streamopt.sweeping.points import task_of
from streamopt.sweeping.row_client import RowClient

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from streamopt.pipeline.comparing import Row
    from streamopt.sweeping.points import Point

__all__ = ["local_rows"]


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
