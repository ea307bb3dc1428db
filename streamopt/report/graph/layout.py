"""Where the boxes of a dataflow graph stand, and how its wires run: layers from the top down.

Steps as in Gansner, Koutsofios, North and Vo, A technique for drawing directed graphs, IEEE TSE
1993: layers, an order within each that crosses few wires, then positions. Boxes are in even layers
and labels of wires in odd ones, where they have places of their own: nothing lies on anything.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias, cast

Spot: TypeAlias = tuple[str, int]
"""A box and 0; or a wire by its name, and how many layers below its start it passes one."""
Point: TypeAlias = tuple[float, float]
Size: TypeAlias = tuple[float, float]

SWEEPS = 12
BOX_GAP, WIRE_GAP, LAYER_GAP, MARGIN, PORT_GAP, STUB = 22.0, 14.0, 16.0, 8.0, 26.0, 10.0
STRAIGHT, NAMED, AMID = 4.0, 3.0, 0.5
"""How much more a way aside counts where only wires pass than at a box, and of a wire with a label
than of one without; and how much a box that isn't amid its neighbours."""


@dataclass(frozen=True, slots=True)
class Wire:
    """A way from one box to another below it, with the size of its label in pixels."""

    name: str
    start: str
    end: str
    label: Size = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle: its middle, width and height, in pixels; y grows downwards."""

    x: float
    y: float
    width: float
    height: float

    @property
    def sides(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom."""
        across, down = self.width / 2, self.height / 2
        return self.x - across, self.y - down, self.x + across, self.y + down


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is, in pixels."""

    # boxes, labels: by box, and by wire that has a label
    boxes: Mapping[str, Rectangle]
    labels: Mapping[str, Rectangle]
    routes: Mapping[str, tuple[tuple[Point, ...], ...]]
    """By wire: one run, or two around its label. A run's points are pairs of a vertical piece's
    ends; from piece to piece it bends."""
    # width, height: extent of the picture, from the origin on
    width: float
    height: float


@dataclass(slots=True)
class _Layers:
    """Spots by layer, how wires lead through them, and their sizes."""

    rows: list[list[Spot]]
    chains: dict[str, list[Spot]]
    sizes: dict[Spot, Size]
    labels: dict[str, Spot]
    above: dict[Spot, list[Spot]] = field(default_factory=dict[Spot, list[Spot]])
    below: dict[Spot, list[Spot]] = field(default_factory=dict[Spot, list[Spot]])

    def __post_init__(self) -> None:
        for chain in self.chains.values():
            for upper, lower in pairwise(chain):
                self.above.setdefault(lower, []).append(upper)
                self.below.setdefault(upper, []).append(lower)


def layout(boxes: Mapping[str, Size], wires: Sequence[Wire]) -> Layout:
    """Return places for the boxes of a graph without cycles, and routes for its wires.

    Parameters
    ----------
    boxes
        Width and height of every box, in pixels; in an order that stays where nothing is gained
        by another.
    """
    layers = _layers(boxes, wires)
    _order(layers)
    across = _across(layers)
    least = min((across[s] - size[0] / 2 for s, size in layers.sizes.items()), default=0.0)
    across = {spot: x - least + MARGIN for spot, x in across.items()}
    bands = _bands(layers, across)
    places = {
        spot: Rectangle(across[spot], sum(bands[at]) / 2, *layers.sizes[spot])
        for at, row in enumerate(layers.rows)
        for spot in row
    }
    level = {spot: at for at, row in enumerate(layers.rows) for spot in row}
    ports = _ports(layers, across)
    routes = {
        wire.name: _route(wire.name, layers, places, ports, [bands[level[s]] for s in chain])
        for wire, chain in zip(wires, layers.chains.values(), strict=True)
    }
    return Layout(
        {name: places[name, 0] for name in boxes},
        {name: places[spot] for name, spot in layers.labels.items()},
        routes,
        max((place.sides[2] for place in places.values()), default=0.0) + MARGIN,
        max((place.sides[3] for place in places.values()), default=0.0) + MARGIN,
    )


def _layers(boxes: Mapping[str, Size], wires: Sequence[Wire]) -> _Layers:
    depth = _depths(list(boxes), wires)
    leaving: dict[str, int] = {}
    for wire in wires:
        leaving[wire.start] = leaving.get(wire.start, 0) + 1
    rows: list[list[Spot]] = [[] for _ in range(2 * max(depth.values(), default=-1) + 1)]
    sizes: dict[Spot, Size] = {(name, 0): size for name, size in boxes.items()}
    labels: dict[str, Spot] = {}
    chains: dict[str, list[Spot]] = {}
    for name in boxes:
        rows[2 * depth[name]].append((name, 0))
    for wire in wires:
        steps = 2 * (depth[wire.end] - depth[wire.start])
        passes = [(f"wire {wire.name}", below) for below in range(1, steps)]
        sizes.update((spot, (0.0, 0.0)) for spot in passes)
        if wire.label[0]:  # beside the end at which fewer wires meet
            labels[wire.name] = passes[-1 if leaving[wire.start] > 1 else 0]
            sizes[labels[wire.name]] = wire.label
        for spot in passes:
            rows[2 * depth[wire.start] + spot[1]].append(spot)
        chains[wire.name] = [(wire.start, 0), *passes, (wire.end, 0)]
    return _Layers(rows, chains, sizes, labels)


def _depths(boxes: Sequence[str], wires: Sequence[Wire]) -> dict[str, int]:
    """Return the layer of every box: one that hands over more than it takes is at its readers."""
    import networkx as nx

    graph = cast("Any", nx).MultiDiGraph()
    graph.add_nodes_from(boxes)
    graph.add_edges_from((wire.start, wire.end) for wire in wires)
    ordered = list(cast("Iterable[str]", cast("Any", nx).topological_sort(graph)))
    depth = dict.fromkeys(boxes, 0)
    for name in ordered:
        depth[name] = max((depth[above] + 1 for above in graph.predecessors(name)), default=0)
    pull = dict.fromkeys(boxes, 0.0)
    for wire in wires:
        weight = 2.0 if wire.label[0] else 1.0
        pull[wire.start] += weight
        pull[wire.end] -= weight
    for name in reversed(ordered):
        if pull[name] > 0:
            depth[name] = min(depth[below] for below in graph.successors(name)) - 1
    return depth


def _order(layers: _Layers) -> None:
    """Sort every layer so that few wires cross: by the mean of neighbours, then by exchanges."""
    best, least = [list(row) for row in layers.rows], _crossings(layers)
    for sweep in range(SWEEPS):
        if not least:
            break
        neighbours, rows = (
            (layers.below, layers.rows[::-1]) if sweep % 2 else (layers.above, layers.rows)
        )
        index = _index(layers.rows)
        for row in rows:
            keys = {spot: _mean(neighbours.get(spot, ()), index, index[spot]) for spot in row}
            row.sort(key=keys.__getitem__)
            index.update((spot, float(at)) for at, spot in enumerate(row))
        _exchange(layers)
        crossings = _crossings(layers)
        if crossings < least:
            best, least = [list(row) for row in layers.rows], crossings
    layers.rows[:] = best


def _index(rows: Iterable[Iterable[Spot]]) -> dict[Spot, float]:
    return {spot: float(at) for row in rows for at, spot in enumerate(row)}


def _mean(spots: Sequence[Spot], values: Mapping[Spot, float], otherwise: float) -> float:
    return sum(values[spot] for spot in spots) / len(spots) if spots else otherwise


def _exchange(layers: _Layers) -> None:
    """Exchange neighbours in a layer where that crosses fewer wires."""
    index = _index(layers.rows)
    for row in layers.rows:
        for at in range(len(row) - 1):
            left, right = row[at : at + 2]
            gained = sum(
                _inversions(side.get(left, ()), side.get(right, ()), index)
                - _inversions(side.get(right, ()), side.get(left, ()), index)
                for side in (layers.above, layers.below)
            )
            if gained > 0:
                row[at : at + 2] = right, left
                index[left], index[right] = index[right], index[left]


def _inversions(left: Sequence[Spot], right: Sequence[Spot], index: Mapping[Spot, float]) -> int:
    return sum(index[one] > index[other] for one in left for other in right)


def _crossings(layers: _Layers) -> int:
    index, found = _index(layers.rows), 0
    for row in layers.rows[:-1]:
        ends = [sorted(index[spot] for spot in layers.below.get(upper, ())) for upper in row]
        flat = [end for group in ends for end in group]
        found += sum(flat[i] > end for at, end in enumerate(flat) for i in range(at))
    return found


def _across(layers: _Layers) -> dict[Spot, float]:
    """Return the x of every spot: with the least length aside, and boxes amid their neighbours."""
    import numpy as np
    from scipy import optimize
    from scipy.sparse import coo_array

    spots = [spot for row in layers.rows for spot in row]
    if len(spots) < 2:
        return dict.fromkeys(spots, 0.0)
    column = {spot: at for at, spot in enumerate(spots)}
    terms = [*_terms(layers)]
    rows: list[tuple[int, int, float]] = []
    limits: list[float] = []
    for at, (_, weights) in enumerate(terms):  # both signs of a term are at most its variable
        for sign in (1.0, -1.0):
            rows += [(len(limits), column[spot], sign * part) for spot, part in weights.items()]
            rows.append((len(limits), len(spots) + at, -1.0))
            limits.append(0.0)
    for row in layers.rows:
        for left, right in pairwise(row):
            rows += [(len(limits), column[left], 1.0), (len(limits), column[right], -1.0)]
            limits.append(-_distance(left, right, layers.sizes))
    lines, columns, parts = zip(*rows, strict=True)
    shape = (len(limits), len(spots) + len(terms))
    matrix = coo_array((parts, (lines, columns)), shape=shape).tocsr()
    prices = np.array([0.0] * len(spots) + [price for price, _ in terms])
    found: Any = cast("Any", optimize).linprog(prices, A_ub=matrix, b_ub=limits, method="highs")
    return dict(zip(spots, map(float, found.x), strict=False))


def _terms(layers: _Layers) -> Iterator[tuple[float, dict[Spot, float]]]:
    """Yield prices and the sums of positions whose absolute values they are for."""
    named = {spot for name in layers.labels for spot in layers.chains[name] if spot[1]}
    for upper, lowers in layers.below.items():
        for lower in lowers:
            price = STRAIGHT if upper[1] and lower[1] else 1.0
            yield price * (NAMED if {upper, lower} & named else 1.0), {upper: 1.0, lower: -1.0}
    for side in (layers.above, layers.below):
        for spot, passes in side.items():
            if spot[1]:
                continue
            near = [one for one in passes if one in named] or passes
            others = {side[one][0] for one in near}  # beyond what stands between the layers
            if len(others) > 1:
                yield AMID, {spot: 1.0} | dict.fromkeys(sorted(others), -1.0 / len(others))


def _distance(left: Spot, right: Spot, sizes: Mapping[Spot, Size]) -> float:
    gap = WIRE_GAP if left[1] or right[1] else BOX_GAP
    return (sizes[left][0] + sizes[right][0]) / 2 + gap


def _bands(layers: _Layers, across: Mapping[Spot, float]) -> list[tuple[float, float]]:
    """Return top and bottom of every layer; a gap is wider where wires go far aside."""
    found: list[tuple[float, float]] = []
    for row in layers.rows:
        aside = (abs(across[s] - across[up]) for s in row for up in layers.above.get(s, ()))
        gap = LAYER_GAP + STUB * any(not below for _, below in row)
        gap += min(28.0, max(aside, default=0.0) / 12)
        top = found[-1][1] + gap if found else MARGIN
        found.append((top, top + max(layers.sizes[spot][1] for spot in row)))
    return found


def _ports(layers: _Layers, across: Mapping[Spot, float]) -> dict[tuple[Spot, Spot], float]:
    """Return where a wire meets a box, by its spots: side by side in the order of their others."""
    found: dict[tuple[Spot, Spot], float] = {}
    for side in (layers.above, layers.below):
        for spot, others in side.items():
            if spot[1]:
                continue
            ordered = sorted(dict.fromkeys(others), key=across.__getitem__)
            gap = min(PORT_GAP, (layers.sizes[spot][0] - 16) / len(ordered))
            first = across[spot] - gap * (len(ordered) - 1) / 2
            found.update(((spot, other), first + at * gap) for at, other in enumerate(ordered))
    return found


def _route(
    wire: str,
    layers: _Layers,
    places: Mapping[Spot, Rectangle],
    ports: Mapping[tuple[Spot, Spot], float],
    bands: Sequence[tuple[float, float]],
) -> tuple[tuple[Point, ...], ...]:
    chain = layers.chains[wire]
    start, end = ports[chain[0], chain[1]], ports[chain[-1], chain[-2]]
    runs: list[list[Point]] = [[(start, places[chain[0]].sides[3]), (start, bands[0][1])]]
    for spot, band in zip(chain[1:-1], bands[1:-1], strict=True):
        place = places[spot]
        if spot == layers.labels.get(wire):
            runs[-1] += [(place.x, band[0]), (place.x, place.sides[1])]
            runs.append([(place.x, place.sides[3]), (place.x, band[1])])
        else:
            runs[-1] += [(place.x, band[0]), (place.x, band[1])]
    runs[-1] += [(end, bands[-1][0] - STUB), (end, places[chain[-1]].sides[1])]
    return tuple(map(tuple, runs))
