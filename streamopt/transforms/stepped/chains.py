"""Reads at constant distances along the innermost tile loop, of which the foremost are fetched.

Before::

    B[i + 1][j + 1] = A[i][j + 1] + A[i + 1][j] + A[i + 1][j + 2] + A[i + 2][j + 1], a row j a tile

After::

    a window of rows i to i + 2, into which only row i + 2 is fetched, two tiles ahead of the first
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.ir.stepping.stepped import ReuseChain
from streamopt.transforms.stepped.copies import MOST_REGISTERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.program import Array
    from streamopt.ir.stepping.steps import Phase, StepLoop

    Lanes = Mapping[str, int]


def reuse_chains(
    phase: Phase,
    tiles: Sequence[StepLoop],
    lanes: Lanes,
    fetched: Sequence[Access],
    arrays: Mapping[str, Array],
) -> tuple[ReuseChain, ...]:
    """Return the chains of a phase, whose memories are not chosen yet.

    Only the innermost tile loop may have several tiles, always as many; the phase writes nothing
    that a chain reads, since windows see no writes after their fetches.

    Parameters
    ----------
    fetched
        The phase's reads from memory.
    """
    if phase.sums or not tiles or any(tile.trip_count != 1 for tile in tiles[:-1]):
        return ()
    innermost = tiles[-1]
    bounds = (*innermost.lower, *innermost.upper)
    if innermost.trip_count < 2 or any(bound.terms for bound in bounds):
        return ()
    written = {statement.target.array for statement in phase.statements}
    groups: dict[tuple[str, tuple[Affine, ...]], list[Access]] = {}
    for access in fetched:
        if access.array not in written and prod(arrays[access.array].shape) > MOST_REGISTERS:
            groups.setdefault((access.array, _moving(access)), []).append(access)
    return tuple(
        ReuseChain("", innermost.name, tuple(reads), warm_up)
        for reads in groups.values()
        if len(reads) > 1
        for warm_up in _warm_up(reads, innermost.name, lanes)
    )


def _moving(access: Access) -> tuple[Affine, ...]:
    return tuple(s - Affine.of(s.constant) for s in access.subscripts)


def _warm_up(reads: Sequence[Access], loop: str, lanes: Lanes) -> Iterator[int]:
    """Yield the iterations that fill a chain's window, if it can be one with reads to spare."""
    moving = _moving(reads[0])
    if not all(_is_plain(subscript, lanes) for subscript in moving):
        return
    along = [at for at, subscript in enumerate(moving) if loop in subscript.iterators()]
    if len(along) != 1 or moving[along[0]].factors[loop] != 1:
        return
    own = [access.subscripts[along[0]].constant for access in reads]
    if len(set(own)) > 1:
        count = lanes.get(loop, 1)
        yield -(-(max(own) - min(own) + count) // count) - 1


def _is_plain(subscript: Affine, lanes: Lanes) -> bool:
    """Return whether lanes are next to each other along a dimension."""
    laned = [name for name in subscript.iterators() if lanes.get(name, 1) > 1]
    return subscript.is_linear and (
        not laned or (len(laned) == 1 and subscript.factors[laned[0]] == 1)
    )


def foremost(chain: ReuseChain, lanes: Lanes) -> tuple[Access, ...]:
    """Return accesses whose lanes are the elements that a tile is the first to have."""
    first = chain.reads[0]
    choices: list[tuple[Affine, ...]] = []
    for at, moving in enumerate(_moving(first)):
        own = [access.subscripts[at].constant for access in chain.reads]
        step = max([1, *(lanes.get(name, 1) for name in moving.iterators())])
        offsets = {*range(min(own), max(own), step), max(own)}
        if chain.loop in moving.iterators():
            offsets = {max(own)}
        choices.append(tuple(moving + Affine.of(offset) for offset in sorted(offsets)))
    return tuple(Access(first.array, subscripts) for subscripts in product(*choices))
