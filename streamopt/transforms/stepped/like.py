"""Phases that compute the same of other elements: one set of operators serves them in turn.

Before::

    phase 0, 512 lanes:  A[i][j] = A[i][j] - A[i][k] * A[k][j]
    phase 1, 512 lanes:  A[a][b] = A[a][b] - A[a][k] * A[k][b]

After::

    phase 1 like phase 0

A sum with fewer lanes beside those of its terms is like one with more.
"""

from __future__ import annotations

from itertools import zip_longest
from math import prod
from typing import TYPE_CHECKING

from streamopt.analysis.phase_reads import may_be_stale
from streamopt.ir import expression as ir
from streamopt.ir.stepping.windows import chain_box

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamopt.ir.element import ElementType
    from streamopt.ir.program import Array
    from streamopt.ir.stepping.stepped import LanedPhase

    Shape = tuple[object, ...]
    """Equal for phases that compute the same."""

_ELEMENT = ir.Index(ir.Affine.iterator("index"))


def alike(phases: Sequence[LanedPhase], arrays: Mapping[str, Array]) -> dict[str, str]:
    """Return the phase whose operators each other one that computes the same uses, by name.

    That is the first one, or a sum with more lanes of the same terms: a vector's norm needs but
    some of the operators of a matrix' product with a vector.
    """
    first: dict[Shape, list[LanedPhase]] = {}
    found: dict[str, str] = {}
    for laned in sorted(phases, key=_width, reverse=True):
        known = first.setdefault(_shape(laned, lambda name: arrays[name].element), [])
        leader = next((one for one in known if _covers(one, laned)), None)
        if leader is None:
            known.append(laned)
        else:
            found[laned.phase.name] = leader.phase.name
    return found


def _width(laned: LanedPhase) -> int:
    """Return the lanes of loops beside those of sums, where others may have fewer."""
    return prod(_own_lanes(laned)) if _may_idle(laned) else 0


def _covers(one: LanedPhase, other: LanedPhase) -> bool:
    pairs = zip_longest(_own_lanes(one), _own_lanes(other), fillvalue=1)
    return all(most >= count for most, count in pairs)


def _own_lanes(laned: LanedPhase) -> tuple[int, ...]:
    return tuple(count for name, count in laned.lanes if name not in laned.phase.sums)


def _may_idle(laned: LanedPhase) -> bool:
    """Return whether a phase may use some lanes of another one: lanes of a sum beside others."""
    return bool(laned.phase.sums & {name for name, _ in laned.lanes}) and not laned.chains


def _shape(laned: LanedPhase, element_of: Callable[[str], ElementType]) -> Shape:
    phase = laned.phase
    alone = phase.sums if _may_idle(laned) else dict(laned.lanes)
    lanes = tuple((count, name in phase.sums) for name, count in laned.lanes if name in alone)

    numbers = {name: str(at) for at, (name, _) in enumerate(laned.lanes)}
    boxes = [chain_box(chain, dict(laned.lanes)) for chain in laned.chains]
    windows = tuple((box.extents, box.along, box.step) for box in boxes)
    registers = {
        access: (ir.Affine.of(at), *box.place(access, numbers))
        for at, (chain, box) in enumerate(zip(laned.chains, boxes, strict=True))
        for access in chain.reads
    }

    def leaf(part: ir.Expression) -> ir.Expression:
        match part:
            case ir.Read(access):
                element = element_of(access.array).value
                return ir.Read(ir.Access(element, registers.get(access, ())))
            case ir.Index():
                return _ELEMENT
            case _:
                return part

    statements = tuple(
        (
            element_of(statement.target.array),
            ir.rewrite(statement.value, leaf),
            _own_reads(statement.value, statement.target),
            _on_data(statement.guard, leaf),
            _forwarded(laned, at),
        )
        for at, statement in enumerate(phase.statements)
    )
    return lanes, windows, statements


def _own_reads(value: ir.Expression, target: ir.Access) -> tuple[bool, ...]:
    """Return which of the reads are of the target, one after another."""
    parts = (part for part in ir.walk(value) if isinstance(part, ir.Read))
    return tuple(part.access == target for part in parts)


def _forwarded(laned: LanedPhase, number: int) -> tuple[int, ...]:
    """Return which earlier statements of the phase the reads of a statement are the targets of."""
    statements = laned.phase.statements
    targets = [statement.target for statement in statements[:number]]
    parts = (part for e in statements[number].expressions for part in ir.walk(e))

    def source(access: ir.Access) -> int:
        at = targets.index(access) if access in targets else -1
        return -1 if at < 0 or may_be_stale(access, targets[at + 1 :]) else at

    return tuple(source(part.access) for part in parts if isinstance(part, ir.Read))


def _on_data(
    guard: ir.Condition | None, leaf: Callable[[ir.Expression], ir.Expression]
) -> ir.Condition | None:
    """Return a guard that depends on data, without the places of the data; None for others."""
    if guard is None or ir.is_affine_condition(guard):
        return None
    return ir.rewrite_condition(guard, leaf)
