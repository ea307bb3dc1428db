"""Imports point down: the table of layers, with function-local and type-only imports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.strategies.rival import RivalName
from tests.support.package import module_at, modules

if TYPE_CHECKING:
    from tests.support.package import Module

BASE = {"errors", "extras", "files", "ir", "options", "work"}
MAY_IMPORT = {
    "errors": set[str](),
    "extras": {"errors"},
    "files": {"errors"},
    "options": {"errors"},
    "workers": set[str](),
    "work": set[str](),
    "ir": {"errors"},
    "solvers": {"errors", "extras", "files", "options"},
    "target": BASE,
    "analysis": BASE,
    "formats": BASE,
    "frontends": BASE | {"analysis", "formats"},
    "published": BASE | {"formats", "frontends"},
    "transforms": BASE | {"analysis"},
    "perf": BASE | {"analysis", "target"},
    "sim": BASE | {"target"},
    "evaluation": BASE | {"perf", "rtl", "sim", "target", "transforms"},
    "space": BASE | {"analysis", "perf"},
    "formulation": BASE | {"analysis", "perf", "space"},
    "search": {"space", "work"},
    "strategies": BASE
    | {"analysis", "transforms", "perf", "space", "formulation", "search", "solvers", "target"}
    | {"evaluation"},
    "warnings": BASE
    | {"evaluation", "perf", "sim", "solvers", "space", "strategies", "target", "transforms"},
    "rtl": BASE | {"analysis", "perf", "target", "transforms"},
    "codegen": BASE | {"analysis", "rtl"},
    "verification": BASE | {"codegen"},
    "synthesis": BASE | {"target"},
    "report": BASE | {"target", "sim", "solvers"},
    "explanation": BASE
    | {"analysis", "evaluation", "perf", "sim", "solvers", "space", "strategies", "target"}
    | {"report", "transforms", "warnings"},
}
EVERYTHING = {*MAY_IMPORT, "pipeline"}
MAY_IMPORT.update(
    pipeline=EVERYTHING,
    sweeping=EVERYTHING,
    running=EVERYTHING | {"sweeping"},
    cli=EVERYTHING | {"sweeping", "running", "cli"},
    __init__={"errors", "pipeline", "frontends", "running", "sweeping"},
)


def within(folder: str) -> list[Module]:
    found = [module for module in modules() if module.path.startswith(f"{folder}/")]
    assert found, f"{folder} has moved"
    return found


def layers_under(folder: str) -> set[str]:
    return {name.split(".")[0] for module in within(folder) for name in module.own}


def test_imports_point_down() -> None:
    up = [
        f"{module.path}: {name}"
        for module in modules()
        for name in sorted(module.own)
        if name.split(".")[0] not in MAY_IMPORT[module.layer] | {module.layer}
    ]
    assert up == []


def test_table_names_every_layer() -> None:
    assert {module.layer for module in modules()} == set(MAY_IMPORT)


def test_only_minlp_touches_formulations() -> None:
    users = {
        module.name
        for module in within("strategies")
        if any(name.startswith("formulation") for name in module.own)
    }
    assert {name.rpartition(".")[-1] for name in users} == {"minlp"}


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
    oracle = {"exhaustive", "lane_prices", "loop_walk_evaluator"}
    parts = [m for m in within("strategies/oracle") if m.name.rpartition(".")[-1] in oracle]
    assert len(parts) == len(oracle)
    certificate = module_at(Path(__file__).parents[1] / "support" / "certificate.py")
    for module in (*parts, certificate):
        assert not [name for name in module.own if not name.startswith(allowed)], module.path


def test_rivals_import_no_other_rival() -> None:
    for name in RivalName:
        for module in within(f"strategies/{name}"):
            rooms = {n.split(".")[1] for n in module.own if n.startswith("strategies.")}
            assert rooms <= {"rival", "sequential", name.value}, module.path


def test_codegen_does_not_know_who_decided() -> None:
    assert not layers_under("codegen") & {"strategies", "solvers", "space"}


def test_simulator_knows_nothing_of_the_model_that_it_checks() -> None:
    assert not layers_under("sim") & {"perf", "formulation", "analysis"}


def test_stepper_shares_no_code_with_the_simulator() -> None:
    stepper = module_at(Path(__file__).parents[1] / "support/runners/cycle_stepper.py")
    assert {name.split(".")[0] for name in stepper.own} == {"ir"}


ROOMS = {
    "perf": ("paper", "costs", "pipelines", "turns", "resources", "as_built"),
    "verification": ("storage", "scratch", "exact", "reference", "vectors", "compare", "csim"),
}
"""Rooms of a layer, each of which imports only itself and those before it."""


def test_rooms_import_down() -> None:
    compared = 0
    for layer, rooms in ROOMS.items():
        for module in within(layer):
            own = module.name.split(".")
            if own[-1] == layer or (room := own[own.index(layer) + 1]) not in rooms:
                continue
            compared += 1
            used = {name.split(".")[1] for name in module.own if name.startswith(f"{layer}.")}
            assert used <= {*rooms[: rooms.index(room) + 1]}, module.path
    assert compared > len(ROOMS) * 10
