"""The tag of a constraint: which equation it is, and of what.

A tag links the page of mathematics, the row of the model and a message to the user.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyomo.environ
from pyomo.core.expr import LinearExpression

pyo: Any = pyomo.environ
"""Pyomo, whose stubs strict typing can't use."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Equation number, family and subject (node, channel, tile class or graph)."""

    equation: str
    family: str
    subject: str


class Formulation:
    """A Pyomo model under construction, with the tag of each of its constraints."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.tags: dict[str, Tag] = {}

    def require(self, constraint: Any, tag: Tag) -> Any:
        """Add a constraint under a tag; return the Pyomo constraint."""
        row = self.model.rows.add(constraint)
        self.tags[row.name] = tag
        return row


def new_model(name: str) -> Formulation:
    """Return an empty model with a list of rows and the suffix for enforcement literals."""
    model: Any = pyo.ConcreteModel(name=name)
    model.rows = pyo.ConstraintList()
    model.enforced_by = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    return Formulation(model)


def enforce(formulation: Formulation, row: Any, binary: Any, active: int, big_m: int) -> None:
    """Say that a big-M row holds without its big-M term when a binary has its active value."""
    formulation.model.enforced_by[row] = (binary, active, big_m)


def weighted_sum(coefficients: Sequence[float], variables: Sequence[Any]) -> Any:
    """Return the linear expression of the terms whose coefficient is not 0."""
    kept = [(c, v) for c, v in zip(coefficients, variables, strict=True) if c]
    return LinearExpression(
        constant=0, linear_coefs=[c for c, _ in kept], linear_vars=[v for _, v in kept]
    )
