"""``streamopt doctor``: packages, solvers and programs that streamopt needs, and a small solve."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from streamopt.errors import StreamoptError
from streamopt.extras import installing
from streamopt.options import checked


class Group(StrEnum):
    """Subjects of checks, in the order in which they are told."""

    CORE = "core"
    EXTRA = "extra"
    SOLVER = "solver"
    TOOL = "tool"
    VENDOR = "vendor"


class State(StrEnum):
    """Outcome of a check."""

    OK = "ok"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Check:
    """The check of one package, solver or program."""

    group: Group
    name: str
    state: State
    version: str = ""
    """Empty where it is not there, or doesn't tell."""
    note: str = ""
    """Its purpose, its licence, or the problem with it."""
    fix: str = ""
    """Command or step that mends it; empty where nothing is to be done."""
    extra: str = ""
    """Of streamopt that brings it; empty for what comes along or isn't a package."""
    serves_a_verb: bool = True
    """Whether some verb of the command line can't do without it."""

    @property
    def breaks_core(self) -> bool:
        """Return whether nothing can be solved as it is."""
        return self.group is Group.CORE and self.state is not State.OK


LEAST_PYTHON = (3, 11)
FOR_DEVELOPERS = ("dev", "docs")
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
        if extra in (*FOR_DEVELOPERS, *SOLVER_EXTRAS):
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
    """Return the problem of importing a module; empty if there is none."""
    try:
        importlib.import_module(module)
    except Exception as error:  # a broken wheel may raise anything
        return f"it can't be imported: {error!r}"
    return ""


SECONDS = 20.0
"""For a program to tell its version; some vendors' tools take long to start."""


@dataclass(frozen=True, slots=True)
class ExternalProgram:
    """A program by the names that it goes by, what it is for, and how one gets it."""

    group: Group
    names: tuple[str, ...]
    purpose: str
    fix: str
    option: str = "--version"
    home: str = ""
    """Environment variable of the folder under which it lies, too."""
    serves_a_verb: bool = True


AMD = "https://www.amd.com/en/support/downloads.html"
PROGRAMS = (
    ExternalProgram(Group.TOOL, ("g++",), "streamopt verify", "apt-get install g++"),
    ExternalProgram(
        Group.TOOL,
        ("clang++", "clang"),
        "another compiler for streamopt verify",
        "apt-get install clang",
        serves_a_verb=False,
    ),
    ExternalProgram(
        Group.TOOL,
        ("verilator",),
        "streamopt verify of projects in Verilog, and simulate --rtl",
        "apt-get install verilator",
        serves_a_verb=False,
    ),
    ExternalProgram(
        Group.TOOL,
        ("dot",),
        "no verb needs it: report draws graphs",
        "apt-get install graphviz",
        "-V",
        serves_a_verb=False,
    ),
    ExternalProgram(
        Group.TOOL,
        ("chromium", "chromium-browser", "google-chrome"),
        "reports are tested in it; any browser shows them",
        "apt-get install chromium",
        serves_a_verb=False,
    ),
    ExternalProgram(
        Group.VENDOR,
        ("vitis-run", "vitis_hls"),
        "Vitis HLS: run_hls.tcl of emitted projects",
        f"install Vitis ({AMD}), then source its settings64.sh",
        home="XILINX_HLS",
        serves_a_verb=False,
    ),
    ExternalProgram(
        Group.VENDOR,
        ("v++",),
        "Vitis: links kernels to a platform",
        f"install Vitis ({AMD}), then source its settings64.sh",
        home="XILINX_VITIS",
        serves_a_verb=False,
    ),
    ExternalProgram(
        Group.VENDOR,
        ("xrt-smi", "xbutil"),
        "XRT: runs designs on a board",
        "install XRT (https://github.com/Xilinx/XRT), then source /opt/xilinx/xrt/setup.sh",
        home="XILINX_XRT",
        serves_a_verb=False,
    ),
    ExternalProgram(
        Group.VENDOR,
        ("tapa", "tapac"),
        "projects of emit --backend tapa",
        "install TAPA (https://tapa.readthedocs.io)",
        serves_a_verb=False,
    ),
)


def commands() -> Iterator[Check]:
    """Yield a check of every program; those that are found are asked for their versions."""
    for program in PROGRAMS:
        found = _find(program)
        if found is None:
            yield _program_check(program, State.MISSING, "", program.purpose, program.fix)
            continue
        told = _told([found, program.option])
        state = State.OK if told is not None else State.BROKEN
        note = program.purpose if told is not None else f"{found} {program.option} fails"
        fix = "" if told is not None else program.fix
        yield _program_check(program, state, _version(told or ""), note, fix)


def _program_check(
    program: ExternalProgram, state: State, version: str, note: str, fix: str
) -> Check:
    name, needed = program.names[0], program.serves_a_verb
    return Check(program.group, name, state, version, note, fix, serves_a_verb=needed)


def _find(program: ExternalProgram) -> str | None:
    home = os.environ.get(program.home, "") if program.home else ""
    beside = str(Path(home) / "bin") if home else None
    for name in program.names:
        found = shutil.which(name) or (beside and shutil.which(name, path=beside))
        if found:
            return found
    return None


def _told(command: list[str]) -> str | None:
    """Return the output of a program; None if it fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout + done.stderr


def _version(text: str) -> str:
    """Return the first thing in a text that looks like a version."""
    found = re.search(r"\bv?(\d+\.\d+(?:\.\d+)*)", text)
    return found[1] if found else ""


SIZE = 16
"""Extent of all loops of the small program."""


@checked()
def doctor() -> tuple[Check, ...]:
    """Return checks of packages, solvers and programs, with the fix of each problem.

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
    from streamopt.strategies.opt6.choices import Space

    name, fix = "self-test", f"{installing()} --force-reinstall"
    p = dsl.program("self_test")
    i, j, k = p.iterators(i=SIZE, j=SIZE, k=SIZE)
    a, b = p.input("A", SIZE, SIZE), p.input("B", SIZE, SIZE)
    p.output("C", (i, j), dsl.sum(k, a[i, k] * b[k, j]))
    try:
        graph = dataflow(p.build())
        solution = solve(graph, dsp=64, space=Space(tiling_limit=1))
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
