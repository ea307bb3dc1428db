"""Public names are imported when they are used: every one of them is where it is said to be."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import streamopt
from streamopt import pipeline

if TYPE_CHECKING:
    from types import ModuleType

HEAVY = {"numpy", "pandas", "islpy", "ortools", "pyomo", "scipy", "sympy", "matplotlib", "networkx"}


@pytest.mark.parametrize("module", [streamopt, pipeline], ids=lambda module: module.__name__)
def test_every_public_name_is_there(module: ModuleType) -> None:
    names: list[str] = module.__all__
    assert [name for name in names if getattr(module, name, None) is None] == []


def test_unknown_names_are_told() -> None:
    with pytest.raises(AttributeError, match="'streamopt' has no attribute 'solvee'"):
        _ = streamopt.solvee  # type: ignore[attr-defined]


def test_the_command_line_starts_without_what_is_heavy() -> None:
    code = "import streamopt.cli.main, sys; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
