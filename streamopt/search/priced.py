"""LUTs at a price in DSPs: one limit instead of two.

A schedule within both limits keeps ``DSPs + price * LUTs`` within that of the limits (O12), so the
least latency of a priced instance is no more than that of the instance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.search.fewer import Fewer, costs, states, taken
from streamopt.space.fronts import minimal

if TYPE_CHECKING:
    import numpy.typing as npt

    from streamopt.search.instance import Choices, Instance

    Integers = npt.NDArray[np.int64]

__all__ = ["priced"]


def priced(problem: Instance, price: float) -> Fewer:
    """Return an instance whose one further resource is paid for with DSPs.

    What is limited is the sum of both, as a further resource: channels take of it too.

    Parameters
    ----------
    price
        In DSPs, for one of the resource.
    """
    (limit,) = problem.limits
    parts = [_priced(node, price) for node in problem.nodes]
    whole = replace(
        problem,
        nodes=tuple(node for node, _ in parts),
        dsp_limit=0,
        limits=(int(problem.dsp_limit + price * limit),),
    )
    return Fewer(whole, tuple(places for _, places in parts))


def _priced(rows: Choices, price: float) -> tuple[Choices, Integers]:
    def in_dsps(luts: Integers) -> Integers:
        return np.floor(price * luts).astype(np.int64)

    paid = replace(
        rows,
        dsps=np.zeros_like(rows.dsps),
        amounts=rows.dsps[:, None] + in_dsps(rows.amounts),
        as_fifo={channel: in_dsps(luts) for channel, luts in rows.as_fifo.items()},
        as_buffer={channel: in_dsps(luts) for channel, luts in rows.as_buffer.items()},
    )
    left = np.sort(minimal(states(paid), costs(paid)))
    return taken(paid, left, lambda column: column[left]), left
