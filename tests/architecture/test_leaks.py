"""Native solver types stay in their adapters, and importing streamopt stays cheap."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.package import modules

HOMES = {
    "ortools": {"solvers/cpsat.py"},
    "highspy": {"solvers/highs.py"},
    "pyscipopt": {"solvers/scip.py"},
    "gurobipy": {"solvers/gurobi.py"},
    "pyomo": {"solvers", "formulation"},
    "pcpp": {"frontends/c"},
    "pycparser": {"frontends/c", "published/expressions.py", "published/hls"},
    "islpy": {
        "analysis",
        "transforms/autoschedule",
        "transforms/scheduling",
        "transforms/stepped",
    },
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


@pytest.mark.parametrize("package", HOMES)
def test_package_stays_at_home(package: str) -> None:
    users = {module.path for module in modules() if package in module.packages}
    assert users, f"nobody imports {package}: take it off the list"
    homes = HOMES[package]
    assert not {u for u in users if not any(u == h or u.startswith(f"{h}/") for h in homes)}


@pytest.mark.parametrize("module", ["streamopt", "streamopt.cli.main"])
def test_import_is_cheap(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert not loaded & set(HEAVY)
