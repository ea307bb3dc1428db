"""Factors of tile classes that leave every node a row, the least first (E20).

Each node has a table of the factors that some row of it has. The tables are joined by trying one
class after the other, and what a choice leaves is looked at before the next is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Factors = tuple[int, ...]
    Left = Mapping[int, frozenset[int]]
    """By tile class, the factors that may still be taken."""

__all__ = ["agreed_factors"]

MOST_TRIES = 2000
"""Choices of one factor each, after which no more are tried."""


def agreed_factors(
    classes: Sequence[Sequence[int]], tables: Sequence[Iterable[Factors]]
) -> dict[int, int] | None:
    """Return a factor for each tile class so that every table has an entry with them.

    Parameters
    ----------
    classes
        By node, the tile classes that the entries of its table are factors of.
    tables
        By node, the factors that rows have together.

    Returns
    -------
    dict or None
        Factors near the least of each class; None if there are none, or none were found.
    """
    joined = _Tables(classes, tables)
    first = joined.narrowed({}, range(len(classes)))
    branches = [] if first is None else [iter([first])]
    for _ in range(MOST_TRIES):
        while branches:
            left = next(branches[-1], None)
            if left is not None:
                break
            branches.pop()
        else:
            return None
        open_class = next((k for k, factors in left.items() if len(factors) > 1), None)
        if open_class is None:
            return {k: min(factors) for k, factors in left.items()}
        branches.append(joined.branches(left, open_class))
    return None


class _Tables:
    """The tables of all nodes, and who shares a class with whom."""

    def __init__(
        self, classes: Sequence[Sequence[int]], tables: Sequence[Iterable[Factors]]
    ) -> None:
        self._classes = classes
        self._tables = [tuple(dict.fromkeys(table)) for table in tables]
        self._members: dict[int, list[int]] = {}
        for node, own in enumerate(classes):
            for k in own:
                self._members.setdefault(k, []).append(node)

    def branches(self, left: Left, index: int) -> Iterator[Left]:
        """Yield what each factor of a class leaves, the least first, unless it leaves nothing."""
        for factor in sorted(left[index]):
            found = self.narrowed({**left, index: frozenset({factor})}, self._members[index])
            if found is not None:
                yield found

    def narrowed(self, left: Left, nodes: Iterable[int]) -> Left | None:
        """Return the factors that have an entry in every table; None if some table has none left.

        Parameters
        ----------
        nodes
            Whose tables are to be looked at; those of others follow where a class gets fewer.
        """
        found = dict(left)
        waiting = dict.fromkeys(nodes)
        while waiting:
            node = next(iter(waiting))
            del waiting[node]
            own = self._classes[node]
            entries = [
                entry
                for entry in self._tables[node]
                if all(k not in found or f in found[k] for k, f in zip(own, entry, strict=True))
            ]
            if not entries:
                return None
            for k, column in zip(own, zip(*entries, strict=True), strict=True):
                fewer = frozenset(column)
                if found.get(k) != fewer:
                    found[k] = fewer
                    waiting.update(dict.fromkeys(n for n in self._members[k] if n != node))
        return found
