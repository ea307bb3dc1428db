"""Marks the cases that only the nightly run tries: more of what the others are examples of."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _pytest.mark import ParameterSet

__all__ = ["in_nightly"]

Case = TypeVar("Case")


def in_nightly(cases: Iterable[Case], kept: int) -> list[Case | ParameterSet]:
    """Return cases of one parameter, all but the first ``kept`` for the nightly run."""
    listed = list(cases)
    late = [pytest.param(case, marks=pytest.mark.nightly) for case in listed[kept:]]
    return [*listed[:kept], *late]
