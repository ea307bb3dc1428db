"""The loops of a nest in C++: tiles outside, the innermost of them pipelined, lanes inside."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from streamopt.codegen.expressions import check_dividends
from streamopt.codegen.layout import CppProcess
from streamopt.codegen.names import Names
from streamopt.codegen.processes.counters import CountedLoop, DigitCounters
from streamopt.codegen.processes.guards import LoopGuard, all_of
from streamopt.codegen.tree import CppStatement, For, If, Item, Pragma, pipelined
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.ir.ports import RamBlock
from streamopt.ir.scheduled import ScheduledNode, TiledLoop
from streamopt.ir.window import StreamedPart


def partition_pragmas(
    name: str, factors: tuple[int, ...], in_words: Collection[int] = ()
) -> Iterator[Pragma]:
    """Yield the pragmas that split an array cyclically, one for each dimension that needs it.

    Parameters
    ----------
    in_words
        Dimensions whose banks are parts of wider words.
    """
    for dimension, factor in enumerate(factors, start=1):
        if factor > 1:
            split = f"type=cyclic factor={factor} dim={dimension}"
            kind = "reshape" if dimension - 1 in in_words else "partition"
            yield Pragma(f"array_{kind} variable={name} {split}")


def storage_pragma(name: str, block: RamBlock, *, is_fifo: bool = False) -> Pragma:
    """Return the pragma that says what a memory or a group of streams is made of."""
    kind = "fifo" if is_fifo else "ram_2p"
    return Pragma(f"bind_storage variable={name} type={kind} impl={block}")


class CppNest:
    """The loops of one node: tiles outside, lanes inside, and what C++ calls their iterators."""

    def __init__(self, scheduled: ScheduledNode, process: CppProcess, scope: Names) -> None:
        self.node = scheduled.node
        self.loops = scheduled.loops
        self.built = scheduled.tile_loops
        self.process = process
        self.scope = scope
        self.names = names = scope.inner()
        self.iterator = {loop.name: names.unique(loop.name) for loop in self.loops}
        unrolled = [loop for loop in self.loops if loop.unroll > 1]
        tiled = [loop for loop in unrolled if loop in self.built]
        self.tile = dict(self.iterator)
        self.tile |= {p.name: names.unique(f"{self.iterator[p.name]}_tile") for p in tiled}
        self.lane = {p.name: names.unique(f"{self.iterator[p.name]}_lane") for p in unrolled}
        self.guards = {
            p.name: LoopGuard(p, self.tile[p.name], self.lane.get(p.name, "0")) for p in self.loops
        }
        self.used: set[str] = set()
        counted = [
            CountedLoop(
                self.iterator[p.name],
                self.tile[p.name],
                self.lane.get(p.name, ""),
                p.tiles if p in self.built else 1,
                p.unroll,
            )
            for p in self.loops
        ]
        self.counters = DigitCounters(counted, self.taken_name)

    def taken_name(self, wanted: str) -> str:
        """Return a free name of the nest, and take it in the function."""
        name = self.names.unique(wanted)
        self.scope.take(name)
        return name

    def index(self, value: Affine, iterators: Mapping[str, Affine]) -> str:
        """Return the text of an index, with C++ names for the iterators."""
        check_dividends(value, self.node)
        found = self.counters.counted(value.substitute(iterators))
        names = set(re.findall(r"\w+", str(found)))  # digits of bits have them inside
        self.used.update(name for name, text in self.iterator.items() if text in names)
        return str(found)

    def inside(self, loops: Collection[str], part: StreamedPart | None = None) -> str:
        """Return the condition that loops are before their ends, and where a part is taken."""
        known = (self.guards[p.name] for p in self.loops if p.name in loops)
        conditions = [guard.before(guard.loop.trip_count) for guard in known]
        for name, (first, end) in (part.within(self.node.trip_counts) if part else {}).items():
            conditions += [self.guards[name].since(first), self.guards[name].before(end)]
        return all_of(list(dict.fromkeys(conditions)))

    def lane_loop(self, loop: TiledLoop, body: Iterable[Item], end: str = "") -> For:
        """Return the loop over the lanes of a loop, under a condition if it has an ``end``."""
        lane = self.lane[loop.name]
        inner: list[Item] = [Pragma("unroll")]
        body = [If(end, tuple(body))] if end else body
        if loop.name in self.used:
            is_tiled = loop in self.built
            value = f"{self.tile[loop.name]} * {loop.unroll} + {lane}" if is_tiled else lane
            inner.append(CppStatement(f"const int {self.iterator[loop.name]} = {value};"))
        return For(lane, loop.unroll, (*inner, *body))

    def constants(self, loops: Iterable[TiledLoop]) -> list[Item]:
        """Return the iterators of loops without a loop in C++, as far as they are used."""
        single = (p for p in loops if p.unroll == 1 and p.tiles == 1 and p not in self.built)
        names = (self.iterator[loop.name] for loop in single if loop.name in self.used)
        return [CppStatement(f"const int {name} = 0;") for name in names]

    def tiled(self, body: Iterable[Item], interval: int) -> tuple[Item, ...]:
        """Return the loops over the tiles, the innermost of them pipelined."""
        items = (pipelined(interval), *body) if self.loops else tuple(body)
        for loop in reversed(self.built):
            items = (For(self.tile[loop.name], loop.tiles, items),)
        return items

    def stream_lanes(self, access: Access) -> list[str]:
        """Return which stream of a group an access uses: the lane of each dimension's loop."""
        names = [subscript.as_iterator() or "" for subscript in access.subscripts]
        return [self.lane.get(name, "0") for name in names]

    def placed(self, access: Access, iterators: Mapping[str, Affine]) -> str:
        """Return the subscripts of an access, with C++ names for the iterators."""
        return "".join(f"[{self.index(s, iterators)}]" for s in access.subscripts) or "[0]"
