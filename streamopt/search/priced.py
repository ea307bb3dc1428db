"""LUTs at a price in DSPs: one limit instead of two.

A schedule within both limits keeps ``DSPs + price * LUTs`` within that of the limits (O12), so the
least latency of a priced instance is no more than that of the instance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.labels.row_subset import RowSubset, costs, states, taken
from streamopt.space.fronts import minimal

if TYPE_CHECKING:
    import numpy.typing as npt

    from streamopt.search.instance import Choices, SearchInstance

    Integers = npt.NDArray[np.int64]

__all__ = ["priced"]


def priced(problem: SearchInstance, price: float) -> RowSubset:
    """Return an instance whose one further resource is paid for with DSPs.

    What is limited is the sum of both: as DSPs, or as a further resource where channels take of it.

    Parameters
    ----------
    price
        In DSPs, for one of the resource.
    """
    (limit,) = problem.limits
    both = int(problem.dsp_limit + price * limit)
    has_channels = any(own.any() for node in problem.nodes for own in _of_channels(node))
    rule = _as_resource if has_channels else _as_dsps
    parts = [_undominated(rule(node, price)) for node in problem.nodes]
    whole = replace(
        problem,
        nodes=tuple(node for node, _ in parts),
        dsp_limit=0 if has_channels else both,
        limits=(both,) if has_channels else (),
    )
    return RowSubset(whole, tuple(places for _, places in parts))


def _as_dsps(rows: Choices, price: float) -> Choices:
    """Return rows whose DSPs are the sum, where channels take nothing."""
    paid = rows.dsps + _paid(rows.amounts[:, 0], price)
    return replace(rows, dsps=paid, amounts=rows.amounts[:, :0], as_fifo={}, as_buffer={})


def _as_resource(rows: Choices, price: float) -> Choices:
    """Return rows whose further resource is the sum."""
    return replace(
        rows,
        dsps=np.zeros_like(rows.dsps),
        amounts=rows.dsps[:, None] + _paid(rows.amounts, price),
        as_fifo={channel: _paid(luts, price) for channel, luts in rows.as_fifo.items()},
        as_buffer={channel: _paid(luts, price) for channel, luts in rows.as_buffer.items()},
    )


def _paid(luts: Integers, price: float) -> Integers:
    return np.floor(price * luts).astype(np.int64)


def _of_channels(rows: Choices) -> list[Integers]:
    return [*rows.as_fifo.values(), *rows.as_buffer.values()]


def _undominated(paid: Choices) -> tuple[Choices, Integers]:
    left = np.sort(minimal(states(paid), costs(paid)))
    return taken(paid, left, lambda column: column[left]), left
