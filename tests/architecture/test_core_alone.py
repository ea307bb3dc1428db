"""What `pip install streamopt` brings is enough to solve, report, explain, simulate and emit.

``make demo`` verifies in such an environment, too.
"""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

import streamopt as so
from streamopt import extras
from streamopt.cli.main import main
from streamopt.errors import MissingExtraError
from streamopt.extras import installing
from streamopt.perf.paper.timing import symbolic_model
from streamopt.solvers import registry
from streamopt.sweeping import sweep

if TYPE_CHECKING:
    from collections.abc import Callable

TOP = Path(__file__).parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEVELOPERS = {"dev", "docs"}
EXTRAS = {
    name: {Requirement(text).name for text in texts}
    for name, texts in PROJECT["optional-dependencies"].items()
    if name not in DEVELOPERS
}
MODULES = {name.replace("-", "_") for names in EXTRAS.values() for name in names}
GESUMMV = TOP / "graphs/polybench/gesummv.json"
VERBS = f"""
solve {GESUMMV} --dsp 220 -o project
report project -o report.html
report project -o project.html
explain project --quick
solve {GESUMMV} --dsp 220 --level opt4 -o opt4
simulate {GESUMMV} --schedule opt4/schedule.json
emit {GESUMMV} --schedule opt4/schedule.json --backend native -o native
compare {GESUMMV} --levels opt1 --strategies codo --dsp 220
"""
ALONE = """
import sys
from importlib.machinery import PathFinder
absent, find = set(sys.argv[1].split(",")), PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: (
    None if name.partition(".")[0] in absent else find(name, *more)
)
from streamopt.cli.main import main
for line in sys.stdin.read().strip().splitlines():
    sys.argv = ["streamopt", *line.split()]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""


def test_verbs_need_no_extra(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE, ",".join(sorted(MODULES))],
        input=VERBS,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("│ proof  ") == 2
    assert (tmp_path / "native" / "graph.json").exists()
    assert (tmp_path / "project.html").stat().st_size > 10_000


def test_core_names_no_package_of_an_extra() -> None:
    core = {Requirement(text).name for text in PROJECT["dependencies"]}
    assert not core & set[str]().union(*EXTRAS.values())


def test_modules_of_extras_have_these_names() -> None:
    assert [name for name in sorted(MODULES) if importlib.util.find_spec(name) is None] == []


def compare() -> object:
    return so.compare(so.dataflow(so.load(GESUMMV)), levels=["opt1"])


def formulas() -> object:
    graph = so.dataflow(so.load(GESUMMV))
    return symbolic_model(graph, {node.name: () for node in graph.nodes}, ())


@pytest.mark.parametrize(
    ("module", "purpose", "use"),
    [
        ("pandas", "a DataFrame", compare),
        ("pandas", "a DataFrame", lambda: sweep("there is none.toml")),
        ("sympy", "writing formulas", formulas),
    ],
)
def test_missing_packages_are_told(
    monkeypatch: pytest.MonkeyPatch, module: str, purpose: str, use: Callable[[], object]
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as told:
        use()
    assert str(told.value) == (
        f"E890 {purpose} needs the package {module}\n  hint: {installing('report')}"
    )


@pytest.mark.parametrize(
    "words",
    [
        "report project --figures pictures",
        f"pareto {GESUMMV} --plot front.svg",
        f"simulate {GESUMMV} --gantt run.svg",
    ],
)
def test_missing_charts_are_told_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(sys, "argv", ["streamopt", *shlex.split(words)])
    with pytest.raises(SystemExit, match="2"):
        main()
    said = capsys.readouterr()
    assert said.err == (
        f"error: E890 drawing charts needs the package matplotlib\n  hint: {installing('report')}\n"
    )
    assert said.out == ""


def test_highs_stands_in_for_cpsat(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry.default_solver() == "cpsat"
    monkeypatch.setitem(sys.modules, "ortools", None)
    assert registry.default_solver() == "highs"


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ('{"dir_info": {"editable": true}}', "pip install --editable '.[scip]'"),
        ('{"dir_info": {}}', "pip install '.[scip]'"),
        (
            '{"dir_info": {}, "url": "file:///far/stream%20opt"}',
            "pip install '/far/stream opt[scip]'",
        ),
        (
            '{"archive_info": {}, "url": "file:///far/s.whl"}',
            "pip install 'streamopt[scip] @ file:///far/s.whl'",
        ),
        (
            '{"vcs_info": {"vcs": "git"}, "url": "https://example.org/s"}',
            "pip install 'streamopt[scip] @ git+https://example.org/s'",
        ),
        (None, "pip install 'streamopt[scip]'"),
    ],
)
def test_extras_come_from_where_streamopt_came_from(
    monkeypatch: pytest.MonkeyPatch, origin: str | None, command: str
) -> None:
    def read_text(_: str) -> str | None:
        return origin

    def distribution(_: str) -> SimpleNamespace:
        return SimpleNamespace(read_text=read_text)

    monkeypatch.setattr("importlib.metadata.distribution", distribution)
    origin_of = getattr(extras, "_origin")  # noqa: B009
    origin_of.cache_clear()
    try:
        assert extras.installing("scip") == command
    finally:
        origin_of.cache_clear()
