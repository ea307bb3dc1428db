"""Operator binding: what the floating-point operators of a node are built from."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from streamopt.ir.network import Implementation, Operator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.element import ElementType

__all__ = ["BINDABLE", "Binding", "bound_implementation"]

Binding: TypeAlias = tuple[tuple[Operator, Implementation], ...]
"""Pairs (operator, implementation), each operator once; the others are the tool's choice."""

BINDABLE: Mapping[Operator, tuple[Implementation, ...]] = {
    Operator.ADD: (Implementation.FABRIC, Implementation.FULLDSP),
    Operator.MUL: (Implementation.FABRIC, Implementation.MAXDSP),
}
"""What may be asked for. Adders subtract too, so that ``add`` binds subtractions with additions."""


def bound_implementation(
    binding: Binding, operator: Operator, element: ElementType
) -> Implementation | None:
    """Return what an operator is to be built from; None for the tool's choice.

    Integers have no such choice: an adder of integers is LUTs anyway.
    """
    if not element.is_float:
        return None
    return dict(binding).get(Operator.ADD if operator is Operator.SUB else operator)
