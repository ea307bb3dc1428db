"""Imports point down: the table of layers, with function-local and type-only imports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from streamopt.strategies.rival import RivalName

ROOT = Path(__file__).parents[2] / "streamopt"

BASE = {"errors", "extras", "files", "ir"}
MAY_IMPORT = {
    "errors": set[str](),
    "extras": {"errors"},
    "files": {"errors"},
    "ir": {"errors"},
    "solvers": {"errors", "extras", "files"},
    "target": BASE,
    "analysis": BASE,
    "formats": BASE,
    "frontends": BASE | {"formats"},
    "published": BASE | {"formats"},
    "transforms": BASE | {"analysis"},
    "perf": BASE | {"analysis", "target"},
    "sim": BASE | {"target"},
    "evaluation": BASE | {"perf", "sim", "target", "transforms"},
    "space": BASE | {"analysis", "perf"},
    "formulation": BASE | {"analysis", "perf", "space"},
    "search": {"space"},
    "budget": BASE | {"analysis", "perf", "search", "space", "target", "transforms"},
    "strategies": BASE
    | {"analysis", "transforms", "perf", "space", "formulation", "search", "solvers", "target"}
    | {"evaluation"},
    "codegen": BASE | {"analysis"},
    "verification": BASE | {"codegen"},
    "report": BASE | {"target", "sim", "solvers"},
}
EVERYTHING = {*MAY_IMPORT, "pipeline"}
MAY_IMPORT.update(
    pipeline=EVERYTHING,
    sweeping=EVERYTHING,
    cli=EVERYTHING | {"sweeping", "cli"},
    __init__={"errors", "pipeline", "frontends", "sweeping"},
)
FILES = sorted(ROOT.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Return the modules of streamopt that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module="streamopt", names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), level=0) if module.startswith("streamopt."):
                found.add(module.removeprefix("streamopt."))
            case ast.Import(names=names):
                found |= {
                    a.name.removeprefix("streamopt.")
                    for a in names
                    if a.name.startswith("streamopt.")
                }
            case _:
                pass
    return found - {"__version__"}


def layer(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    layers = {name.split(".")[0] for name in imported(path)}
    assert layers <= MAY_IMPORT[layer(path)] | {layer(path)}


def test_table_names_every_layer() -> None:
    assert {layer(path) for path in FILES} == set(MAY_IMPORT)


def test_only_minlp_touches_formulations() -> None:
    users = {
        path.name
        for path in (ROOT / "strategies").rglob("*.py")
        if any(name.startswith("formulation") for name in imported(path))
    }
    assert users == {"minlp.py"}


def test_oracle_shares_no_code_with_the_model() -> None:
    allowed = (
        "analysis.value_ranges",
        "errors",
        "ir.",
        "space.level",
        "space.objective",
        "strategies.oracle.lane_prices",
        "strategies.resources.limits",
        "strategies.paper_only",
        "strategies.oracle.loop_walk_evaluator",
        "target.device",
        "transforms.rewrites",  # what a schedule is for, before any model looks at it
    )
    for name in ("exhaustive", "loop_walk_evaluator", "lane_prices", "certificate"):
        names = imported(ROOT / "strategies" / "oracle" / f"{name}.py")
        assert not [found for found in names if not found.startswith(allowed)]


def test_rivals_import_no_other_rival() -> None:
    for name in RivalName:
        for path in (ROOT / "strategies" / name).rglob("*.py"):
            within = {n.split(".")[1] for n in imported(path) if n.startswith("strategies.")}
            assert within <= {"rival", name.value}


def test_codegen_does_not_know_who_decided() -> None:
    for path in (ROOT / "codegen").rglob("*.py"):
        assert not {n.split(".")[0] for n in imported(path)} & {"strategies", "solvers", "space"}


def test_simulator_knows_nothing_of_the_model_that_it_checks() -> None:
    for path in (ROOT / "sim").glob("*.py"):
        assert not {n.split(".")[0] for n in imported(path)} & {"perf", "formulation", "analysis"}


def test_stepper_shares_no_code_with_the_simulator() -> None:
    names = imported(Path(__file__).parents[1] / "support/runners/cycle_stepper.py")
    assert {name.split(".")[0] for name in names} == {"ir"}
