"""Few concepts: short signatures, names with one meaning, small folders, no circles of imports."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from networkx import DiGraph, strongly_connected_components

from tests.support.package import arrows, modules

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PARAMETERS = 8
MOST_FIELDS = 10
MOST_MODULES = 16
MOST_PRIVATE_DOUBLES = 10
GRAMMARS = (
    {"accesses", "conditions", "expressions"},  # of C: each may hold the others
    {"inlining", "loops", "sequences", "statements", "unrolled"},
    {
        "aggregates",
        "bits",
        "calls",
        "functions",
        "places",
        "statements",
        "streams",
        "values",
        "words",
    },
    {"lowering", "regions"},  # of MLIR: operations have regions of operations
)
"""The circles of imports that mirror a recursive grammar, by the last parts of the modules."""
ANY_NAMES = {
    "codegen/templates/__init__.py: fill",  # the places of a template
    "frontends/dsl/builder.py: iterators",  # names of iterators with their extents
    "strategies/problem.py: within",  # fields of a dataclass, as `dataclasses.replace` takes them
}
"""Functions whose keywords are names of something else."""
LARGE_VALUES = {"DecisionSpace", "DesignFacts", "LinearForm", "Record", "Solution"} | {
    *("Allowance", "PathNode", "Standing", "Stored"),
    *("Layer", "LayerPass", "Tiling", "Windowed"),
}
"""Results with more fields than options may have: nobody writes them by hand."""
LEFT_CIRCLES: list[set[str]] = []
LEFT_FOLDERS: dict[str, int] = {}
"""Exceptions that are to go."""


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield what users of the package and of its modules call; the command line has options."""
    for module in modules():
        for node in ast.walk(module.tree):
            if (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                and (not node.name.startswith("_") or node.name == "__init__")
                and module.layer != "cli"
            ):
                yield f"{module.path}: {node.name}", node


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                yield module.path, node


def test_imports_run_in_no_circle_but_those_of_a_grammar() -> None:
    graph: DiGraph[str] = DiGraph()
    graph.add_edges_from((module, name) for module, names in arrows().items() for name in names)
    components: list[set[str]] = [*strongly_connected_components(graph)]
    circles = [component for component in components if len(component) > 1]
    short = [{name.rpartition(".")[-1] for name in circle} for circle in circles]
    assert [circle for circle in short if circle not in (*GRAMMARS, *LEFT_CIRCLES)] == []
    assert [circle for circle in GRAMMARS if circle not in short] == [], "these are gone"


def test_signatures_are_short() -> None:
    found: list[str] = []
    for name, node in functions():
        taken = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        count = len(taken) - (taken[:1] in (["self"], ["cls"]))
        if count > MOST_PARAMETERS:
            found.append(f"{name} has {count}")
    assert found == []


def test_options_have_names() -> None:
    """``**options`` would take misspelled ones; decorators pass on the options of a function."""
    open_ = {name for name, node in functions() if node.args.kwarg}
    assert {name for name in open_ if not name.startswith("options.py")} == ANY_NAMES


def test_options_are_grouped() -> None:
    wide = {
        node.name
        for _, node in classes()
        if any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
        and sum(isinstance(part, ast.AnnAssign) for part in node.body) > MOST_FIELDS
    }
    assert wide == LARGE_VALUES


def test_class_names_have_one_meaning() -> None:
    count = Counter(node.name for _, node in classes())
    doubles = sorted(name for name, times in count.items() if times > 1)
    private = {name for name in doubles if name.startswith("_")}
    assert set(doubles) == private
    assert len(private) <= MOST_PRIVATE_DOUBLES, private


def test_folders_are_small() -> None:
    count = Counter(
        module.path.rpartition("/")[0]
        for module in modules()
        if not module.path.endswith("__init__.py")
    )
    assert [f for f, files in count.items() if files > LEFT_FOLDERS.get(f, MOST_MODULES)] == []


def test_docstrings_say_what_something_is() -> None:
    """A noun or a verb comes first, not "What is ..." or "Return what ..."."""
    found = [
        f"{module.path}: {text.splitlines()[0]}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(text := node.value.value, str)
        and text.startswith(("What ", "Return what "))
    ]
    assert found == []
