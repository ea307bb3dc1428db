"""How a window takes elements from its stream: one an iteration, or all of some rows.

Where rows come faster than the loops go, their elements are counted apart (`streamopt.ir.window`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from streamopt.codegen.layout import CppPort
from streamopt.codegen.processes.counters import CountedLoop, DigitCounters
from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.processes.loops import CppNest
from streamopt.codegen.processes.windows import LineWriter, unrolled
from streamopt.codegen.tree import CppStatement, For, If, Item, pipelined
from streamopt.ir.affine import Affine
from streamopt.ir.scheduled import TiledLoop
from streamopt.ir.window import Window, counted, prefill_loops


@dataclass(frozen=True, slots=True, eq=False)
class WindowWalk:
    """The digits of a walk in C++: by counters along the tile loops."""

    counters: DigitCounters
    places: Mapping[str, Affine]
    """Value of each digit, by its name."""
    rows: Affine
    """The one of rows."""
    at_first: tuple[Affine, ...]
    """Indices that are 0 where elements are taken."""
    turn: str
    """Iterator of the elements that an iteration takes one after another."""
    at_once: int

    @staticmethod
    def of(
        window: Window,
        loops: Sequence[TiledLoop],
        tile: Mapping[str, str],
        unique: Callable[[str], str],
    ) -> "WindowWalk":
        """Return the walk of a window; ``tile`` has the C++ names of tile iterators."""
        factors = {loop.name: loop.unroll for loop in loops}
        walk = window.walk({loop.name: loop.tiles for loop in loops}, factors)
        turn = unique("turn") if walk.at_once > 1 else ""
        along = [CountedLoop(tile[p.name], tile[p.name], "", p.tiles, 1) for p in loops]
        lanes = [CountedLoop(turn, turn, turn, 1, walk.at_once)] if turn else []
        counters = DigitCounters([*along, *lanes], unique)
        names = {name: Affine.iterator(text) for name, text in tile.items()}
        places = {
            digit: counters.counted(value.substitute(names))
            for digit, value in walk.places(Affine.iterator(turn) if turn else Affine()).items()
        }
        at_first = tuple(counters.counted(index.substitute(names)) for index in walk.at_first)
        rows = places[counted(window.row_loop)]
        return WindowWalk(counters, places, rows, at_first, turn, walk.at_once)


def take(
    nest: CppNest,
    window: Window,
    port: CppPort,
    writers: Sequence[LineWriter],
    walk: WindowWalk | None,
) -> list[Item]:
    """Return the loops that take the next elements of a window into its line buffers."""
    taken = _taken(nest, window, port, writers)
    own = {*window.taken.iterators()}
    lanes = [loop for loop in nest.loops if loop.name in own and loop.unroll > 1]
    if walk is not None:
        return _counted(nest, window, walk, _in_lanes(nest, lanes, taken))
    trips = nest.node.built_trip_counts
    reused = [loop for loop in nest.loops if loop.name not in own and loop.tiles > 1]
    parts = [f"{nest.tile[loop.name]} == 0" for loop in reused]
    ends = {n: window.ends.get(n, trips[n]) for n in trips if n in own}
    parts += [nest.guards[name].before(end) for name, end in ends.items()]
    condition = all_of(parts)
    return _in_lanes(nest, lanes, [If(condition, tuple(taken))] if condition else taken)


def prefill(nest: CppNest, window: Window, port: CppPort, writers: Sequence[LineWriter]) -> Item:
    """Return the nest that takes the rows before the first window into its line buffers."""
    tiles = {loop.name: loop.tiles for loop in nest.loops}
    trips = prefill_loops(window.prefill(tiles, nest.node.built_trip_counts))
    names = {n: nest.tile.get(n) or nest.taken_name(n.replace(".", "_")) for n in trips}
    row = window.prefilled_row
    iterators = {n: Affine() for n in row.iterators()}
    iterators |= {n: Affine.iterator(text) for n, text in names.items()}
    before = [writer.prefilling(row, iterators) for writer in writers]
    own = [loop for loop in nest.loops if loop.name in window.taken.iterators()]
    parts = [nest.guards[loop.name].before(loop.trip_count) for loop in own if loop.is_partial]
    taken = _taken(nest, window, port, before)
    condition = all_of(parts)
    body: list[Item] = [If(condition, tuple(taken))] if condition else taken
    lanes = [loop for loop in own if loop.unroll > 1]
    items: tuple[Item, ...] = (pipelined(1), *_in_lanes(nest, lanes, body))
    for name, count in reversed(trips.items()):
        items = (For(names[name], count, items),)
    return items[0]


def _taken(
    nest: CppNest, window: Window, port: CppPort, writers: Sequence[LineWriter]
) -> list[Item]:
    """Return the items that take the next element and store it."""
    value = nest.names.unique(f"{port.name}_value")
    source = f"{port.stream(nest.stream_lanes(window.taken))}.read()"
    taken: list[Item] = [CppStatement(f"const {port.array.element} {value} = {source};")]
    return taken + [item for writer in writers for item in writer.store(value)]


def _counted(nest: CppNest, window: Window, walk: WindowWalk, taken: list[Item]) -> list[Item]:
    """Return the items that take the elements of some rows, one after another."""
    rows, steps, extent = window.row_loop, window.steps, window.shape[window.dimension]
    parts = [*(f"{index} == 0" for index in walk.at_first), f"{walk.rows} < {steps}"]
    if extent % steps:
        nest.used.add(rows)
        left = extent - window.rows_before
        parts.append(f"{nest.iterator[rows]} * {steps} + {walk.rows} < {left}")
    ends = window.outer_ends([loop.name for loop in nest.loops])
    parts += [nest.guards[name].before(end) for name, end in ends.items()]
    turns = [*walk.counters.lanes()[0], If(all_of(parts), tuple(taken))]
    return [unrolled(walk.turn, walk.at_once, turns)] if walk.at_once > 1 else turns


def _in_lanes(nest: CppNest, lanes: Sequence[TiledLoop], body: list[Item]) -> list[Item]:
    for loop in reversed(lanes):
        body = [unrolled(nest.lane[loop.name], loop.unroll, body)]
    return body
