"""The registry names every adapter file, imports nothing early, and lets no solver leak."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import streamopt.solvers
from streamopt.solvers import registry
from streamopt.solvers.base import Capability

PACKAGE = Path(str(streamopt.solvers.__file__)).parent
TABLE = Path(__file__).parents[2] / "solvers" / "README.md"
HOME_OF = {"ortools": "cpsat", "highspy": "highs", "pyscipopt": "scip", "gurobipy": "gurobi"}
NATIVE = [*HOME_OF, "pyomo", "scipy"]


def imported(path: Path) -> set[str]:
    """Top-level packages a file imports anywhere, type-checking blocks included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module.partition(".")[0])
    return found


def adapter_classes() -> set[str]:
    found: set[str] = set()
    for path in PACKAGE.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
                if "Solver" in bases:
                    found.add(f"streamopt.solvers.{path.stem}:{node.name}")
    return found


def test_every_adapter_file_is_registered() -> None:
    assert set(registry.SOLVERS.values()) == adapter_classes()


def test_names_and_declarations_agree() -> None:
    for name, status in zip(registry.SOLVERS, registry.available(), strict=True):
        assert status.name == name
        assert Capability.LINEAR in status.capabilities
        assert status.licence
        assert bool(status.version) == status.installed


def test_default_solver_is_installed() -> None:
    assert registry.get(registry.default_solver()).is_available()


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*.py")), ids=lambda path: path.stem)
def test_solver_wheels_stay_in_their_adapter(path: Path) -> None:
    allowed = {wheel for wheel, home in HOME_OF.items() if home == path.stem}
    assert imported(path) & set(HOME_OF) <= allowed


def test_importing_the_registry_imports_no_solver() -> None:
    script = "import sys, streamopt.solvers.registry; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = {module.partition(".")[0] for module in run.stdout.split()}
    assert not modules & set(NATIVE)


def test_listing_the_solvers_imports_no_pyomo_and_no_ortools() -> None:
    script = "import sys; from streamopt.solvers import registry; registry.available();"
    script += "print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = {module.partition(".")[0] for module in run.stdout.split()}
    assert not modules & {"pyomo", "ortools", "highspy"}


def test_table_of_the_readme_is_up_to_date() -> None:
    kinds = list(Capability)
    rows = [f"| solver | {' | '.join(kinds)} | licence |", "|---" * (len(kinds) + 2) + "|"]
    for name in registry.SOLVERS:
        declared = next(status for status in registry.available() if status.name == name)
        marks = ("yes" if kind in declared.capabilities else "" for kind in kinds)
        licence = getattr(sys.modules[registry.SOLVERS[name].partition(":")[0]],
                          registry.SOLVERS[name].partition(":")[2]).licence  # fmt: skip
        rows.append(f"| {name} | {' | '.join(marks)} | {licence} |")
    assert "\n".join(rows) in TABLE.read_text(encoding="utf-8")
