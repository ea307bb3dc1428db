"""Instances in the notation of isl: iteration domains, access relations, schedules.

Every access of every instance is an *event*, named after its instance and its place in it, so
that flow analysis tells accesses of one statement apart. Reads come before the write.

Conditions that depend on data can't be said; they are left out of the domain, which is then too
large: such an event may happen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from streamopt.analysis.instances import bound_conditions
from streamopt.ir.affine import FloorDiv, Iter, Mod
from streamopt.ir.expression import (
    Compare,
    CompareOp,
    Index,
    Literal,
    Logic,
    LogicOp,
    is_affine_condition,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.analysis.instances import Instance
    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Access, Condition, Expression

__all__ = [
    "access_text",
    "affine_text",
    "condition_text",
    "domain_text",
    "is_certain",
    "schedule_text",
]

_OPERATORS: Mapping[CompareOp, str] = {
    **{op: op.value for op in CompareOp},
    CompareOp.EQ: "=",
}


def is_certain(instance: Instance) -> bool:
    """Return whether no condition around an instance depends on data."""
    return all(map(is_affine_condition, instance.guards))


def domain_text(instance: Instance) -> str:
    """Return the constraints on the iterators ``c0, c1, ...`` of an instance."""
    names = _names(instance)
    conditions = [c for loop in instance.loops for c in bound_conditions(loop)]
    conditions += [guard for guard in instance.guards if is_affine_condition(guard)]
    return " and ".join(condition_text(c, names) for c in conditions) or "true"


def access_text(event: str, instance: Instance, access: Access) -> str:
    """Return the relation from the iterations of an event to the array elements it touches."""
    names = _names(instance)
    tuple_text = ", ".join(names.values())
    subscripts = ", ".join(affine_text(s, names) for s in access.subscripts)
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


def affine_text(value: Affine, names: Mapping[str, str]) -> str:
    """Return an affine expression with its iterators under other names."""
    parts: list[str] = []
    for atom, factor in value.terms:
        match atom:
            case Iter(name):
                text = names[name]
            case FloorDiv(inner, divisor):
                text = f"floor(({affine_text(inner, names)})/{divisor})"
            case Mod(inner, divisor):
                text = f"(({affine_text(inner, names)}) mod {divisor})"
            case _:
                assert_never(atom)
        parts.append(f"{factor}*{text}")
    return " + ".join([*parts, str(value.constant)])


def condition_text(condition: Condition, names: Mapping[str, str]) -> str:
    """Return an affine condition with its iterators under other names."""
    match condition:
        case Compare(op, left, right):
            sides = _side(left, names), _side(right, names)
            return f"({sides[0]} {_OPERATORS[op]} {sides[1]})"
        case Logic(op, operands):
            joint = " and " if op is LogicOp.AND else " or "
            return f"({joint.join(condition_text(operand, names) for operand in operands)})"
        case _:
            assert_never(condition)


def _side(side: Expression, names: Mapping[str, str]) -> str:
    match side:
        case Index(value):
            return affine_text(value, names)
        case Literal(value):
            return str(int(value))
        case _:
            raise AssertionError(side)
