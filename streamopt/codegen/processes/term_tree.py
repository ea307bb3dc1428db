"""The tree that combines the terms of one iteration: an order that no tool and no option changes.

``r`` terms stand in the first places of an array of registers; place ``r + n`` takes what places
``2 n`` and ``2 n + 1`` give, until one is left. So the terms are combined as in a knock-out
tournament, in ``ceil(log2(r))`` rounds, by ``r - 1`` operators. Its loop is unrolled, so
every place is a constant.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from streamopt.codegen.names import Names
from streamopt.codegen.tree import CppStatement, For, Item, Pragma
from streamopt.ir.element import ElementType


@dataclass(frozen=True, slots=True)
class TermTree:
    """The array of the terms, and what its text calls them."""

    name: str
    terms: int
    place: str
    """The element of a lane's term."""
    iterator: str
    """Of the loop over pairs."""

    @property
    def root(self) -> str:
        """Return the element that has the result."""
        return f"{self.name}[{2 * self.terms - 2}]"

    def declared(self, element: ElementType) -> tuple[Item, ...]:
        """Return the array, every element of which is a register."""
        size = 2 * self.terms - 1
        split = f"array_partition variable={self.name} type=complete dim=1"
        return (CppStatement(f"{element} {self.name}[{size}];"), Pragma(split))

    def combined(self, combine: Callable[[str, str], str]) -> For:
        """Return the loop over the pairs.

        Parameters
        ----------
        combine
            From the texts of two operands to that of one operator.
        """
        pair = self.iterator
        step = combine(f"{self.name}[2 * {pair}]", f"{self.name}[2 * {pair} + 1]")
        made = CppStatement(f"{self.name}[{self.terms} + {pair}] = {step};")
        return For(pair, self.terms - 1, (Pragma("unroll"), made))


def term_tree(lanes: Sequence[tuple[str, int]], names: Names) -> TermTree | None:
    """Return the tree over some lanes; None where there are none.

    Parameters
    ----------
    lanes
        Iterators of unrolled loops, with their numbers of lanes, outermost first.
    """
    if not lanes:
        return None
    place = ""
    for iterator, count in lanes:
        inner = f"({place})" if " + " in place else place
        place = f"{inner} * {count} + {iterator}" if place else iterator
    name = names.unique("terms")
    terms = prod(count for _, count in lanes)
    return TermTree(name, terms, f"{name}[{place}]", names.unique("pair"))
