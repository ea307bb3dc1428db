"""Orders of wavefronts in which lanes stay at the elements of an array, whatever the time.

Before (Gauss-Seidel with nine points)::

    in order w: any order of t, i: A[i][w - 4 * t - 2 * i]

After, with ``w = 4 * W + r`` and ``t = W - q``::

    in order W: in order r, four times: any order of q, i: A[i][4 * q + r - 2 * i]

A lane of ``t`` goes to another bank with each wavefront, to all of them by and by. A lane of ``q``
stays at four columns: it is the *owner* that computes what is stored there, as compilers for
distributed memory have it ([1]).

[1] Rogers and Pingali, Process decomposition through locality of reference, PLDI 1989.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from streamopt.ir.affine import Affine
from streamopt.ir.stepping.steps import Phase, Repeat, StepLoop, Steps
from streamopt.transforms.autoschedule.building import BuiltSteps, moved_statement, with_guard
from streamopt.transforms.autoschedule.spans import guard_of, step_loop, union_of, within_loops
from streamopt.transforms.free_names import numbered_stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.program import Statement
    from streamopt.transforms.free_names import FreeNames

_MOST_PARTS = 8
"""Wavefronts until a lane would leave its elements: each lane chooses among as many banks."""


@dataclass(frozen=True, slots=True)
class _Drift:
    """How a loop's lanes move through arrays from one wavefront to the next."""

    at: int
    """Place of the loop among those of its phase."""
    parts: int
    """Wavefronts in which a lane moves on to where its neighbour was."""
    backward: bool
    """Whether that neighbour is the one before it."""


def with_owners(made: BuiltSteps, name: str, names: FreeNames) -> BuiltSteps | None:
    """Return a single wavefront's order with lanes that stay at elements; None if it has none."""
    match made.steps.items:
        case (Repeat(wave, (Phase() as phase,)),) if not phase.sums:
            pass
        case _:
            return None
    found = [drift for at in range(len(phase.loops)) for drift in _drifts(wave, phase, at)]
    if len(found) != 1:
        return None
    return _Moved(wave, phase, found[0], made, names).built(name)


def _drifts(wave: StepLoop, phase: Phase, at: int) -> Iterator[_Drift]:
    """Yield how a loop moves, if it moves in all subscripts as the wavefront does."""
    loop = phase.loops[at].name
    pairs: set[tuple[int, int]] = set()
    for statement in phase.statements:
        for access in statement.accesses:
            for subscript in access.subscripts:
                if not subscript.is_linear:
                    return
                by = subscript.factors.get(wave.name, 0), subscript.factors.get(loop, 0)
                pairs.add(by)
    pairs.discard((0, 0))
    if any(not one or not other or other % one for one, other in pairs):
        return
    ratios = {other // one for one, other in pairs}
    if len(ratios) == 1:
        (ratio,) = ratios
        if 1 < abs(ratio) <= _MOST_PARTS:
            yield _Drift(at, abs(ratio), ratio < 0)


class _Moved:
    """Builds the order; used once."""

    def __init__(
        self, wave: StepLoop, phase: Phase, drift: _Drift, made: BuiltSteps, names: FreeNames
    ) -> None:
        self.wave, self.phase, self.drift, self.made = wave, phase, drift, made
        self.names = names

    def built(self, name: str) -> BuiltSteps:
        """Return the steps, and where each piece is in them."""
        drift, loops = self.drift, self.phase.loops
        least = self._first()
        moved = self._relation(-least)
        turn, part = self.names.fresh(self.wave.name), self.names.fresh("r")
        stems = ["q" if at == drift.at else loop.name for at, loop in enumerate(loops)]
        own = [self.names.fresh(numbered_stem(stem)) for stem in stems]
        around = _loops(self._points(moved), [turn, part, *own], drift.parts)
        renamed = self._renamed(turn, part, own, least)
        box, order = within_loops(around), [loop.name for loop in around]
        placed = tuple(
            replace(
                one,
                position=(0, *one.position),
                phase=f"{name}0",
                times=one.times.apply_range(moved),
            )
            for one in self.made.placed
        )
        statements: list[Statement] = []
        for number, statement in enumerate(self.phase.statements):
            runs = union_of([one.times.range() for one in placed if one.number == number])
            moved_one = moved_statement(statement, renamed, order)
            statements.append(with_guard(moved_one, guard_of(runs, box, order)))
        phase = Phase(f"{name}0", tuple(around[2:]), frozenset(), tuple(statements))
        inner = Repeat(around[1], (phase,))
        return BuiltSteps(Steps(name, (Repeat(around[0], (inner,)),)), placed)

    def _first(self) -> int:
        """Return the lane's value that becomes 0.

        Tiles of as many lanes as parts are to begin and end alike: a strip of wavefronts then
        meets the fewest of them.
        """
        points, at = self._points(self._relation(0)), 2 + self.drift.at
        least, most = (
            int(own.to_python()) for own in (points.dim_min_val(at), points.dim_max_val(at))
        )
        return least - (least - most - 1) % self.drift.parts // 2

    def _points(self, moved: Any) -> Any:
        return union_of([one.times.range().apply(moved) for one in self.made.placed])

    def _relation(self, shift: int) -> Any:
        """Return the relation from the loops before to those after."""
        import islpy as isl

        drift, count = self.drift, len(self.phase.loops)
        before = [f"v{at}" for at in range(count)]
        after = [*before]
        after[drift.at] = "q"
        old = before[drift.at]
        where = f"{old} - W" if drift.backward else f"W + {old}"
        text = f"w = {drift.parts} W + r and 0 <= r < {drift.parts} and q = {where} + {shift}"
        return isl.Map(f"{{ [w, {', '.join(before)}] -> [W, r, {', '.join(after)}] : {text} }}")

    def _renamed(
        self, turn: str, part: str, own: Sequence[str], least: int
    ) -> Mapping[str, Affine]:
        """Return the iterators before over those after."""
        drift = self.drift
        whole, rest = Affine.iterator(turn), Affine.iterator(part)
        found = {
            loop.name: Affine.iterator(name)
            for loop, name in zip(self.phase.loops, own, strict=True)
        }
        lane = Affine.iterator(own[drift.at]) + Affine.of(least)
        found[self.phase.loops[drift.at].name] = lane + whole if drift.backward else lane - whole
        found[self.wave.name] = whole.scaled(drift.parts) + rest
        return found


def _loops(points: Any, names: Sequence[str], parts: int) -> list[StepLoop]:
    """Return loops with bounds; the second one always has so many iterations."""
    import islpy as isl

    found: list[StepLoop] = []
    for at, name in enumerate(names):
        if at == 1:
            found.append(StepLoop(name, (Affine(),), (Affine.of(parts),), 0, parts))
            continue
        shown = points.project_out(isl.dim_type.set, at + 1, len(names) - 1 - at)
        found.append(step_loop(shown, found, name))
    return found
