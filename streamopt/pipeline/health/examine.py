"""All checks together, and whether the core works: a small program is solved and simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import StreamoptError
from streamopt.extras import installing
from streamopt.pipeline.health.check import Check, Group, State
from streamopt.pipeline.health.commands import commands
from streamopt.pipeline.health.packages import core_packages, extra_packages, python
from streamopt.pipeline.options import checked

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["doctor"]

SIZE = 16
"""Extent of all loops of the small program."""


@checked()
def doctor() -> tuple[Check, ...]:
    """Return what is installed, licensed, missing or broken, and what mends it.

    Core packages are imported, solvers may take a licence for a moment, and programs are asked
    for their versions.
    """
    core = (python(), *core_packages())
    solved = () if any(check.breaks_core for check in core) else (_small_program(),)
    return (*core, *solved, *extra_packages(), *_solvers(), *commands())


def _small_program() -> Check:
    """Return whether a matrix product is solved to a proof and simulated."""
    from streamopt.frontends import dsl
    from streamopt.pipeline.evaluating import simulate
    from streamopt.pipeline.reading import dataflow
    from streamopt.pipeline.solving import solve

    name, fix = "self-test", f"{installing()} --force-reinstall"
    p = dsl.program("self_test")
    i, j, k = p.iterators(i=SIZE, j=SIZE, k=SIZE)
    a, b = p.input("A", SIZE, SIZE), p.input("B", SIZE, SIZE)
    p.output("C", (i, j), dsl.sum(k, a[i, k] * b[k, j]))
    try:
        graph = dataflow(p.build())
        solution = solve(graph, dsp=64, tiling_limit=1)
        cycles = simulate(graph, solution.schedule).cycles
    except (StreamoptError, ImportError, OSError) as error:
        return Check(Group.CORE, name, State.BROKEN, "", str(error), fix)
    proof = solution.proof.value
    return Check(Group.CORE, name, State.OK, "", f"{cycles} cycles, proof: {proof}")


def _solvers() -> Iterator[Check]:
    from streamopt.solvers.registry import available, get

    for status in available():
        if not status.installed:
            fix = installing(status.extra)
            yield Check(Group.SOLVER, status.name, State.MISSING, "", status.licence, fix)
            continue
        try:
            get(status.name)
        except StreamoptError as error:
            hint = error.diagnostics[0].hint
            yield Check(Group.SOLVER, status.name, State.BROKEN, status.version, str(error), hint)
        else:
            yield Check(Group.SOLVER, status.name, State.OK, status.version, status.licence)
