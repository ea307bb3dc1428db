"""Names, extents and iterators as the user gives them: what is wrong with each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamopt.formats.names import NAME_PATTERN, TITLE_PATTERN, is_reserved, quoted
from streamopt.frontends.dsl.facts import Axis, Facts
from streamopt.frontends.dsl.places import ARRAYS, ITERATORS, NAMES, problem
from streamopt.frontends.dsl.values import Index, whole
from streamopt.ir.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from streamopt.errors import Diagnostic

__all__ = ["free_name", "name_problems", "read_extents", "read_iterator", "title_problems"]

MAX_EXTENT = 2**31 - 1
MAX_DIMENSIONS = 32
MAX_CHARACTERS = 100


def title_problems(name: object) -> Iterator[Diagnostic]:
    """Yield what is wrong with the name of a program."""
    if not isinstance(name, str) or not _matches(TITLE_PATTERN, name):
        message = f"{quoted(name)} can't be the name of a program"
        yield problem(NAMES, message, "it is made of letters, digits, - and _")


def name_problems(name: object, kind: str) -> Iterator[Diagnostic]:
    """Yield what is wrong with the name of an array, iterator or node."""
    if not isinstance(name, str) or not _matches(NAME_PATTERN, name):
        hint = "names are letters, digits and single underscores, and don't begin with a digit"
        yield problem(NAMES, f"{kind} {quoted(name)} has a name that it can't have", hint)
    elif is_reserved(name):
        yield problem(NAMES, f"{kind} '{name}' has the name of a function or keyword")


def _matches(pattern: str, name: str) -> bool:
    return len(name) <= MAX_CHARACTERS and re.fullmatch(pattern, name) is not None


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return the name, with the first free number where it is taken."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted.rstrip('_')}_{number}", number + 1
    return name


def read_extents(name: str, extents: Sequence[object]) -> tuple[tuple[int, ...], Diagnostic | None]:
    """Return a shape; with a diagnostic if it is none."""
    sizes = [size for size in map(whole, extents) if size is not None and 0 < size <= MAX_EXTENT]
    if len(sizes) == len(extents) <= MAX_DIMENSIONS:
        return tuple(sizes), None
    hint = f"up to {MAX_DIMENSIONS} extents, each a whole number from 1 to {MAX_EXTENT}"
    return (), problem(ARRAYS, f"{quoted(tuple(extents))} can't be the shape of {name}", hint)


def read_iterator(name: str, extent: object) -> Index:
    """Return an iterator; with problems if the extent is none."""
    count = whole(extent)
    steps = extent if count is None else range(min(count, MAX_EXTENT + 1))
    facts, ends = Facts(), (0, 0)
    if isinstance(steps, range) and steps:
        ends = (min(steps[0], steps[-1]), max(steps[0], steps[-1]))
    is_sound = ends[0] >= -MAX_EXTENT and ends[1] < MAX_EXTENT
    if not isinstance(steps, range) or not steps or not is_sound:
        hint = f"write i=64, a whole number from 1 to {MAX_EXTENT}, or i=range(1, 63)"
        message = f"{quoted(extent)} is no extent for iterator '{name}'"
        facts, steps = facts.with_problem(ITERATORS, message, hint), range(1)
    affine = Affine.iterator(name).scaled(steps.step) + Affine.of(steps.start)
    return Index.of(affine, Facts((Axis(name, len(steps)),), problems=facts.problems))
