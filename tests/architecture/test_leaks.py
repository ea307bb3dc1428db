"""Native solver types stay in their adapters, and importing streamopt stays cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "streamopt"
HOMES = {
    "ortools": {"solvers/cpsat.py"},
    "highspy": {"solvers/highs.py"},
    "pyscipopt": {"solvers/scip.py"},
    "gurobipy": {"solvers/gurobi.py"},
    "pyomo": {"solvers", "formulation"},
    "pcpp": {"frontends/c"},
    "pycparser": {"frontends/c"},
    "islpy": {"analysis", "frontends/c/reach.py", "transforms/scheduling"},
    "onnx": {"frontends/onnx_model"},
    "torch": {"frontends/torch_module", "pipeline/reading.py"},
    "torch_mlir": {"frontends/torch_module", "frontends/mlir"},
    "pydantic": {"formats", "published", "target/documents.py", "sweeping/documents.py"},
    "pydantic_core": {"formats", "published"},
    "typer": {"cli"},
    "rich": {"cli"},
    "jinja2": {"report"},
    "markupsafe": {"report"},
    "matplotlib": {"report"},
}
HEAVY = (
    *("numpy", "scipy", "pyomo", "ortools", "highspy", "pandas", "sympy", "pydantic", "networkx"),
    *("islpy", "pcpp", "pycparser", "onnx", "torch", "torch_mlir", "matplotlib", "jinja2"),
)


def packages(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module=str(module), level=0):
                found.add(module.split(".")[0])
            case ast.Import(names=names):
                found |= {alias.name.split(".")[0] for alias in names}
            case _:
                pass
    return found


@pytest.mark.parametrize("package", HOMES)
def test_package_stays_at_home(package: str) -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if package in packages(path)
    }
    assert users, f"nobody imports {package}: take it off the list"
    strangers = {
        u for u in users if not any(u == h or u.startswith(f"{h}/") for h in HOMES[package])
    }
    assert not strangers


@pytest.mark.parametrize("module", ["streamopt", "streamopt.cli.main"])
def test_import_is_cheap(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert not loaded & set(HEAVY)
