"""Estimated gains of all single-node moves at once (E25).

The paths through one node are known from the heads of its producers and the tails of its
consumers, so the latency after a change of its row alone is exact. The gain of several nodes is
estimated by the sum of their own gains, so a caller has to check it.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import NO_WALK
from streamopt.search.local.moves import Moves
from streamopt.search.local.paths import Change, InWire, Paths
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

MOST_SHARE = 1.0 - 1e-12
"""Of the paths through one node in all."""
NEVER = -1e30
"""A time before all others, in any unit; not infinite, as differences are taken."""


class MoveEstimates:
    """The rows of every node by their shared factors, ready for many estimates."""

    def __init__(self, moves: Moves) -> None:
        self.moves = moves
        self._ranked: list[Integers] = []
        self._heads: list[Integers] = []
        self.places: list[dict[tuple[int, ...], int]] = []
        for factors in moves.factors:
            ranked = sorted(range(len(factors)), key=factors.__getitem__)
            keys = [factors[row] for row in ranked]
            heads = [at for at, key in enumerate(keys) if not at or key != keys[at - 1]]
            self._ranked.append(np.array(ranked, dtype=np.int64))
            self._heads.append(np.array(heads, dtype=np.int64))
            self.places.append({keys[head]: place for place, head in enumerate(heads)})

    def least(self, node: int, costs: Floats) -> list[float]:
        """Return the least cost of a node's rows for each choice of its shared factors."""
        least: list[float] = np.minimum.reduceat(
            costs[self._ranked[node]], self._heads[node]
        ).tolist()
        return least

    def cheapest(self, node: int, costs: Floats, place: int) -> int:
        """Return the row of least cost for one choice of the shared factors."""
        heads = self._heads[node]
        end = heads[place + 1] if place + 1 < len(heads) else None
        among = self._ranked[node][heads[place] : end]
        return int(among[np.argmin(costs[among])])


def estimated_moves(
    estimates: MoveEstimates, paths: Paths, price: float, least_gain: float
) -> list[Change]:
    """Return changes by their estimated gain in latency plus the price of DSPs, the best first.

    A change is the row of one node, its shared factors as they are, or the factor of one class,
    where each node takes the row of the best estimate.
    """
    moves = estimates.moves
    dsps = paths.wires.dsp_columns
    spend(WORK.paths.path * len(dsps) + WORK.paths.change * sum(map(len, dsps)))
    costs = [after_each(paths, node) + price * own for node, own in enumerate(dsps)]
    least = [estimates.least(node, own) for node, own in enumerate(costs)]
    now = [float(own[row]) for own, row in zip(costs, paths.rows, strict=True)]
    keys = [moves.factors[node][row] for node, row in enumerate(paths.rows)]
    found: list[tuple[float, tuple[tuple[int, int], ...]]] = []
    for node, key in enumerate(keys):
        place = estimates.places[node][key]
        found.append((now[node] - least[node][place], ((node, place),)))
    for index, members in moves.members.items():
        for value in moves.values[index]:
            goal = _places(estimates, index, value, members, keys)
            if goal is not None:
                found.append((sum(now[n] - least[n][place] for n, place in goal), goal))
    good = [entry for entry in found if entry[0] > least_gain]
    good.sort(key=lambda entry: -entry[0])
    return [
        tuple((node, estimates.cheapest(node, costs[node], place)) for node, place in goal)
        for _, goal in good
    ]


def _places(
    estimates: MoveEstimates,
    index: int,
    value: int,
    members: Sequence[int],
    keys: Sequence[tuple[int, ...]],
) -> tuple[tuple[int, int], ...] | None:
    """Return for each node of a class its choice of factors after a change; None if one can't."""
    goal: list[tuple[int, int]] = []
    for node in members:
        at = estimates.moves.classes[node].index(index)
        key = keys[node]
        if key[at] == value:
            return None
        place = estimates.places[node].get((*key[:at], value, *key[at + 1 :]))
        if place is None:
            return None
        goal.append((node, place))
    return tuple(goal)


def after_each(paths: Paths, node: int) -> Floats:
    """Return the latency after a change of one node to each of its rows, in cycles.

    The paths must have a blur. What doesn't pass through the node is the whole less what does, so
    it isn't known where next to all does: a gain of many blurs may seem less than it is.
    """
    through = _through(paths, node)
    total = paths.last[-1]
    share = min(MOST_SHARE, float(np.exp(min(0.0, through[paths.rows[node]] - total))))
    rest = total + float(np.log1p(-share))
    return np.asarray(np.logaddexp(rest, through) * paths.unit)


def _through(paths: Paths, node: int) -> Floats:
    """Return the longest time of all paths through a node, for each of its rows."""
    wires, unit = paths.wires, paths.unit
    start: Floats | float = NEVER if wires.ins[node] else 0.0
    end: Floats | float = NEVER
    for wire in wires.ins[node]:
        first, last = paths.first[wire.producer], paths.last[wire.producer]
        arrival: Floats | float = last
        if wire.read is not None:
            arrival = np.where(_alike(wire.read, _written(paths, wire)), first, last)
        start = arrival if isinstance(start, float) and start == NEVER else _later(start, arrival)
        if wire.epilogue is not None:
            end = _later(end, last + wire.epilogue / unit)
    from_first: Floats | float = NEVER
    from_last: Floats | float = 0.0 if node == len(paths.rows) - 1 else NEVER
    for consumer, wire in wires.outs[node]:
        after = paths.from_start[consumer]
        if wire.written is None or wire.read is None or wire.epilogue is None:
            from_last = _later(from_last, after)
            continue
        row = paths.rows[consumer]
        streams = _alike(wire.written, int(wire.read[row]))
        from_first = _later(from_first, np.where(streams, after, NEVER))
        over = float(wire.epilogue[row]) / unit + paths.from_last[consumer]
        from_last = _later(from_last, _later(np.where(streams, NEVER, after), over))
    last = _later(start + wires.last_write[node] / unit, end)
    return np.asarray(_later(start + wires.first_write[node] / unit + from_first, last + from_last))


def _written(paths: Paths, wire: InWire) -> int:
    return NO_WALK if wire.written is None else int(wire.written[paths.rows[wire.producer]])


def _alike(walks: Integers, other: int) -> Flags:
    return (walks == other) & (walks != NO_WALK)


def _later(first: Floats | float, second: Floats | float) -> Floats | float:
    return np.logaddexp(first, second)
