"""Phases with tile loops and lanes, before memories are chosen for them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from streamopt.analysis.phase_reads import fetched, is_overwritten
from streamopt.ir.affine import Affine
from streamopt.transforms.stepped.bank_loads import laned_access
from streamopt.transforms.stepped.chains import foremost, reuse_chains
from streamopt.transforms.stepped.tile_loops import LANE, lane_places, tile_loops

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Access
    from streamopt.ir.program import Array, Statement
    from streamopt.ir.stepping.stepped import ReuseChain
    from streamopt.ir.stepping.steps import Phase, StepLoop
    from streamopt.transforms.stepped.bank_loads import LanedAccess


@dataclass(frozen=True, slots=True)
class PhaseDraft:
    """A phase with its tile loops and lanes, and the loops in order around it."""

    phase: Phase
    tiles: tuple[StepLoop, ...]
    lanes: tuple[tuple[str, int], ...]
    chains: tuple[ReuseChain, ...] = ()
    era: int = 0
    """Phases of different eras never run at once: one ends before another begins."""
    around: tuple[StepLoop, ...] = ()

    @property
    def trip_counts(self) -> dict[str, int]:
        """Return the values of all iterators around its statements, from 0 on."""
        return {loop.name: max(1, loop.end) for loop in (*self.around, *self.phase.loops)}

    def laned(
        self, subscripts: Sequence[Affine], told: Mapping[str, int] = MappingProxyType({})
    ) -> LanedAccess:
        """Return subscripts over the phase's loops as places of its lanes.

        Parameters
        ----------
        told
            Iterators that have one number wherever they are touched.
        """
        lanes = {name + LANE: count for name, count in self.lanes}
        own = {loop.name for loop in self.phase.loops}
        around = {name: number for name, number in told.items() if name not in own}
        position = lane_places(self.tiles, dict(self.lanes))
        return laned_access(subscripts or (Affine(),), position, lanes, around)

    def reads_of(self, array: str) -> tuple[Access, ...]:
        """Return the accesses that it fetches of an array, each once."""
        served = {access for chain in self.chains for access in chain.reads}
        own = [access for access in fetched(self.phase) if access not in served]
        own += [access for chain in self.chains for access in self.foremost(chain)]
        return tuple(dict.fromkeys(access for access in own if access.array == array))

    def foremost(self, chain: ReuseChain) -> tuple[Access, ...]:
        """Return the accesses that a chain fetches."""
        return foremost(chain, dict(self.lanes))

    def writes_of(self, array: str) -> tuple[tuple[int, Statement], ...]:
        """Return its statements whose writes of an array last, with their places."""
        statements = self.phase.statements
        return tuple(
            (at, each)
            for at, each in enumerate(statements)
            if each.target.array == array and not is_overwritten(at, statements)
        )


def draft(
    phase: Phase,
    around: tuple[StepLoop, ...],
    order: Sequence[str],
    factors: Mapping[str, int],
    arrays: Mapping[str, Array],
) -> PhaseDraft:
    """Return a phase with lanes of its loops; tile loops of sums come first.

    Parameters
    ----------
    order
        Of all loops.
    factors
        Lanes by loop, where there are several.
    """
    lanes = {loop.name: factors.get(loop.name, 1) for loop in phase.loops}
    rank = {name: at for at, name in enumerate(order)}
    own = sorted(lanes, key=lambda name: (name not in phase.sums, rank.get(name, len(rank))))
    tiles = tile_loops(phase, around, lanes, own)
    is_plain = not phase.sums and all(map(_is_constant, tiles))
    tiles = tuple(sorted(tiles, key=_is_long)) if is_plain else tiles
    chains = reuse_chains(phase, tiles, lanes, fetched(phase), arrays)
    several = tuple((name, n) for name, n in lanes.items() if n > 1)
    return PhaseDraft(phase, tiles, several, chains, around=around)


def _is_long(tile: StepLoop) -> bool:
    return tile.trip_count > 1


def _is_constant(tile: StepLoop) -> bool:
    return not any(bound.terms for bound in (*tile.lower, *tile.upper))
