"""Whether statements run at all and accesses stay inside their arrays: exactly, through isl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.instances import domain_text
from streamopt.ir.affine import Iter
from streamopt.ir.text import isl_affine, isl_condition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.analysis.instances import StatementInstance
    from streamopt.ir.expression import Access, Condition

__all__ = ["is_inside", "may_run"]


def is_inside(
    access: Access,
    trip_counts: Mapping[str, int],
    conditions: Sequence[Condition],
    shape: Sequence[int],
) -> bool:
    """Return whether every element that an access touches where all conditions hold exists."""
    suspects: list[tuple[int, int]] = []
    for dimension, (subscript, extent) in enumerate(zip(access.subscripts, shape, strict=True)):
        low, high = subscript.bounds(trip_counts)
        if low < 0 or high >= extent:
            linear = all(isinstance(atom, Iter) for atom, _ in subscript.terms)
            if linear and not conditions:
                return False
            suspects.append((dimension, extent))
    if not suspects:
        return True
    import islpy as isl

    names = {name: f"c{at}" for at, name in enumerate(trip_counts)}
    where = [f"0 <= {names[name]} < {trip}" for name, trip in trip_counts.items()]
    where += [isl_condition(condition, names) for condition in conditions]
    texts = ((isl_affine(access.subscripts[d], names), extent) for d, extent in suspects)
    outside = " or ".join(f"{text} < 0 or {text} >= {extent}" for text, extent in texts)
    domain = f"{{ [{', '.join(names.values())}] : {' and '.join([*where, f'({outside})'])} }}"
    return bool(isl.Set(domain).is_empty())


def may_run(instance: StatementInstance) -> bool:
    """Return whether a statement runs in some iteration, if the conditions on data allow it."""
    if not instance.loops and not instance.guards:
        return True
    import islpy as isl

    names = ", ".join(f"c{at}" for at in range(len(instance.loops)))
    return not isl.Set(f"{{ [{names}] : {domain_text(instance)} }}").is_empty()
