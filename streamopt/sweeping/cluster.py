"""Rows on a Dask cluster: one task a row, and one process a row on the worker that has it.

What a worker that is lost was measuring, the scheduler gives to another one.
"""

from collections.abc import Generator, Sequence
from importlib import import_module
from threading import local
from typing import Any
from uuid import uuid4

from streamopt.errors import Diagnostic, SweepError
from streamopt.extras import installing
from streamopt.report.record import Row
from streamopt.sweeping.points import Point, task_of
from streamopt.sweeping.rows import RowClient

CONNECT_SECONDS = 30
_OF_THREAD = local()


def row_on_worker(task: dict[str, Any]) -> Row:
    """Return the row of a task; runs on a worker, each of whose threads keeps a server of rows."""
    if not hasattr(_OF_THREAD, "client"):
        _OF_THREAD.client = RowClient()
    return _OF_THREAD.client.row(task)


def cluster_rows(points: Sequence[Point], address: str) -> Generator[tuple[Point, Row]]:
    """Yield every point with its row as soon as there is one; closing it cancels the others.

    Raises
    ------
    SweepError
        E886 if ``distributed`` isn't installed, there is no scheduler, or it is lost.
    """
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        message = f"there is no Dask scheduler at {address}: {error}"
        hint = "start one with `dask scheduler`, and workers with `dask worker ADDRESS`"
        raise SweepError(Diagnostic("E886", message, hint=hint)) from None
    with client:
        yield from _rows_of(client, distributed.as_completed, points, address)


def _rows_of(
    client: Any, as_completed: Any, points: Sequence[Point], address: str
) -> Generator[tuple[Point, Row]]:
    run = uuid4().hex  # or the scheduler would take rows of an earlier sweep for these
    asked = {
        client.submit(row_on_worker, task_of(point), key=f"{point.key}-{run}"): point
        for point in points
    }
    try:
        for future in as_completed(list(asked), loop=client.loop):
            if future.status == "cancelled" or future.status == "lost":
                message = f"the Dask scheduler at {address} was lost"
                hint = "rows that are there are kept: start the sweep again"
                raise SweepError(Diagnostic("E886", message, hint=hint))
            error = future.exception()
            if isinstance(error, SweepError):
                raise error
            if error is None:
                yield asked[future], future.result()
            else:
                message = f"{type(error).__name__}: {error}"
                yield asked[future], {"status": "crashed", "message": message}
    finally:
        client.cancel([future for future in asked if not future.done()])


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        message = "a Dask cluster needs the package distributed"
        hint = installing("dask")
        raise SweepError(Diagnostic("E886", message, hint=hint)) from None
