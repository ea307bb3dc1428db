"""Sizes, names and folders that keep the house readable."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.support.package import modules

TOP = Path(__file__).parents[2]
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 60
NO_NAMES = {"utils", "helpers", "common", "core", "misc"}
ROOMS = {
    "streamopt",
    "typings",
    "models",
    "solvers",
    "graphs",
    "results",
    "tests",
    "docs",
    "notebooks",
}
TEXT = {".py", ".md", ".toml", ".json", ".csv", ".h", ".txt", ".ipynb", ".cff", ""}


def test_modules_are_short_and_named_by_their_concept() -> None:
    for module in modules():
        stem = Path(module.path).stem
        assert len(module.text.splitlines()) <= MOST_LINES, module.path
        assert stem not in NO_NAMES, module.path
        assert not re.search(r"(_v\d|_old|_new|\d)$", stem), module.path


def test_functions_are_short() -> None:
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno is not None
                text_lines = (ast.get_docstring(node, clean=False) or "").count("\n")
                lines = node.end_lineno - node.lineno - text_lines
                assert lines < MOST_LINES_OF_A_FUNCTION, f"{module.path}: {node.name}"


def test_top_level_is_as_announced() -> None:
    found = {p.name for p in TOP.iterdir() if p.is_dir() and not p.name.startswith(".")}
    assert ROOMS <= found <= ROOMS | {"build", "dist"}


@pytest.mark.parametrize("room", sorted(ROOMS - {"streamopt", "tests"}))
def test_data_folders_are_no_packages(room: str) -> None:
    assert not list((TOP / room).rglob("__init__.py"))


def test_no_paths_of_one_machine() -> None:
    pattern = re.compile(r"/(?:work|home|root)/\w|\.\./" + "shared")
    for room in ROOMS:
        for path in (TOP / room).rglob("*"):
            if path.is_file() and path.suffix in TEXT and "__pycache__" not in path.parts:
                assert not pattern.search(path.read_text(encoding="utf-8")), path
