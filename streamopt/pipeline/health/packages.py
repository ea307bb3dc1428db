"""The Python packages that the installed streamopt asks for, and its extras."""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import sys
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement

from streamopt.extras import installing
from streamopt.pipeline.health.check import Check, Group, State

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["core_packages", "extra_packages", "python"]

LEAST_PYTHON = (3, 11)
FOR_DEVELOPERS = "dev"
SOLVER_EXTRAS = ("cpsat", "scip", "gurobi")
"""Extras that are told among the solvers."""


def python() -> Check:
    """Return whether Python itself is recent enough."""
    good = sys.version_info[:2] >= LEAST_PYTHON
    fix = "" if good else "install Python 3.11 or later, and make a new environment with it"
    state = State.OK if good else State.BROKEN
    note = f"{platform.python_implementation()} on {platform.platform(terse=True)}"
    return Check(Group.CORE, "python", state, platform.python_version(), note, fix)


def core_packages() -> Iterator[Check]:
    """Yield a check of every package that streamopt can't do without; they are imported."""
    try:
        texts = importlib.metadata.requires("streamopt") or []
    except importlib.metadata.PackageNotFoundError:
        note = "it runs from a folder, so nobody knows which packages it asks for"
        yield Check(Group.CORE, "streamopt", State.BROKEN, "", note, installing())
        return
    for requirement in _requirements(texts, ""):
        yield _check(requirement, Group.CORE, f"pip install '{requirement_text(requirement)}'")


def extra_packages() -> Iterator[Check]:
    """Yield a check of every package of the extras that front ends need; none is imported."""
    try:
        metadata = importlib.metadata.metadata("streamopt")
    except importlib.metadata.PackageNotFoundError:
        return
    texts = metadata.get_all("Requires-Dist") or []
    for extra in metadata.get_all("Provides-Extra") or []:
        if extra in (FOR_DEVELOPERS, *SOLVER_EXTRAS):
            continue
        for requirement in _requirements(texts, extra):
            yield _check(requirement, Group.EXTRA, installing(extra), extra)


def requirement_text(requirement: Requirement) -> str:
    """Return a requirement as pip takes it, without its marker."""
    return f"{requirement.name}{requirement.specifier}"


def _requirements(texts: list[str], extra: str) -> Iterator[Requirement]:
    """Yield the requirements of an extra; of none, those that always hold."""
    for text in texts:
        try:
            found = Requirement(text)
        except InvalidRequirement:
            continue
        marker = found.marker
        always = marker is None or marker.evaluate({"extra": ""})
        if always if not extra else not always and marker and marker.evaluate({"extra": extra}):
            yield found


def _check(requirement: Requirement, group: Group, fix: str, extra: str = "") -> Check:
    name, note = requirement.name, f"for {extra}" if extra else ""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Check(group, name, State.MISSING, "", note, fix, extra)
    if not requirement.specifier.contains(version, prereleases=True):
        note = f"streamopt asks for {requirement.specifier}"
        return Check(group, name, State.BROKEN, version, note, fix, extra)
    problem = _import_problem(name.replace("-", "_")) if group is Group.CORE else ""
    if problem:
        return Check(group, name, State.BROKEN, version, problem, f"{fix} --force-reinstall")
    return Check(group, name, State.OK, version, note, extra=extra)


def _import_problem(module: str) -> str:
    """Return what stands against importing a module; empty if nothing does."""
    try:
        importlib.import_module(module)
    except Exception as error:  # a broken wheel may raise anything
        return f"it can't be imported: {error!r}"
    return ""
