"""Instances in the notation of isl: iteration domains, access relations, schedules.

Every access of every instance is an *event*, named after its instance and its place in it, so
that flow analysis tells accesses of one statement apart. Reads come before the write.

Conditions that depend on data can't be said; they are left out of the domain, which is then too
large: such an event may happen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.instances import bound_conditions
from streamopt.ir.expression import is_affine_condition
from streamopt.ir.isl_text import affine_text, condition_text

if TYPE_CHECKING:
    from streamopt.analysis.instances import Instance
    from streamopt.ir.expression import Access

__all__ = [
    "access_text",
    "domain_text",
    "is_certain",
    "schedule_text",
]


def is_certain(instance: Instance) -> bool:
    """Return whether no condition around an instance depends on data."""
    return all(map(is_affine_condition, instance.guards))


def domain_text(instance: Instance) -> str:
    """Return the constraints on the iterators ``c0, c1, ...`` of an instance."""
    names = _names(instance)
    conditions = [c for loop in instance.loops for c in bound_conditions(loop)]
    conditions += [guard for guard in instance.guards if is_affine_condition(guard)]
    return " and ".join(condition_text(c, names) for c in conditions) or "true"


def access_text(event: str, instance: Instance, access: Access, level: int = 0) -> str:
    """Return the relation from the iterations of an event to the array elements it touches.

    The iterators of as many outer loops as level tells stand behind the subscripts.
    """
    names = _names(instance)
    tuple_text = ", ".join(names.values())
    places = [affine_text(s, names) for s in access.subscripts]
    subscripts = ", ".join([*places, *[*names.values()][:level]])
    head = f"{event}[{tuple_text}] -> A_{access.array}[{subscripts}]"
    return f"{head} : {domain_text(instance)}"


def schedule_text(event: str, instance: Instance, length: int, phase: int) -> str:
    """Return when the iterations of an event happen: positions and iterators by turns.

    Parameters
    ----------
    length
        Of all schedules; above twice the depth of the deepest instance by 2.
    phase
        0 for the reads of a statement, 1 for its write.
    """
    names = _names(instance)
    times: list[str] = []
    for place, name in zip(instance.position, [*names.values(), ""], strict=True):
        times += [str(place), *([name] if name else [])]
    times += ["0"] * (length - 1 - len(times)) + [str(phase)]
    return f"{event}[{', '.join(names.values())}] -> [{', '.join(times)}]"


def _names(instance: Instance) -> dict[str, str]:
    return {iterator: f"c{at}" for at, iterator in enumerate(instance.iterators)}
