"""What doctor finds: here, and where something is missing or broken."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from typer.testing import CliRunner

from streamopt.cli.main import app
from streamopt.pipeline import health
from streamopt.pipeline.health import Check, Group, State

if TYPE_CHECKING:
    from pathlib import Path


def test_the_small_program_is_solved() -> None:
    (solved,) = [getattr(health, "_small_program")()]  # noqa: B009
    assert solved.state is State.OK
    assert solved.note.endswith("cycles, proof: optimal")


def one(monkeypatch: pytest.MonkeyPatch, requirement: str) -> Check:
    def found(name: str) -> list[str]:
        assert name == "streamopt"
        return [requirement, "torch>=1 ; extra == 'torch'"]

    monkeypatch.setattr(health.importlib.metadata, "requires", found)
    (check,) = health.core_packages()
    return check


@pytest.mark.parametrize(
    ("requirement", "state"),
    [
        ("numpy>=1.20", State.OK),
        ("numpy<1.0", State.BROKEN),
        ("no-such-package-anywhere>=1", State.MISSING),
    ],
)
def test_packages(monkeypatch: pytest.MonkeyPatch, requirement: str, state: State) -> None:
    check = one(monkeypatch, requirement)
    assert check.state is state
    assert check.breaks_core == (state is not State.OK)
    wanted = Requirement(requirement)
    assert check.fix == ("" if state is State.OK else f"pip install '{wanted}'")


def tool(directory: Path, script: str) -> None:
    path = directory / "g++"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="the tool is a shell script")
def test_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    first = next(iter(health.commands()))
    assert (first.name, first.state, first.fix) == ("g++", State.MISSING, "apt-get install g++")
    tool(tmp_path, "echo 'g++ (Debian) 12.2.0'")
    first = next(iter(health.commands()))
    assert (first.state, first.version, first.fix) == (State.OK, "12.2.0", "")
    tool(tmp_path, "exit 3")
    assert next(iter(health.commands())).state is State.BROKEN


@pytest.mark.parametrize(("group", "code"), [(Group.CORE, 1), (Group.TOOL, 0)])
def test_exit_code(monkeypatch: pytest.MonkeyPatch, group: Group, code: int) -> None:
    checks = (Check(group, "thing", State.MISSING, fix="get thing"),)

    def found() -> tuple[Check, ...]:
        return checks

    monkeypatch.setattr(health, "doctor", found)
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == code
    first, *rest = shown.stdout.splitlines()
    if code:
        assert [first, rest[0]] == ["the core is BROKEN", "  thing is missing: get thing"]
    else:
        assert [first, rest[0]] == ["the core works", "  tool thing: missing: get thing"]
    everything = CliRunner().invoke(app, ["doctor", "--all"]).stdout
    assert "thing is missing: get thing" in everything
    told = CliRunner().invoke(app, ["doctor", "--json"])
    assert told.exit_code == code
    answer = json.loads(told.stdout)
    assert answer["works"] == (code == 0)
    assert answer["checks"][0]["fix"] == "get thing"
    assert CliRunner().invoke(app, ["doctor", "-q"]).stdout == ""
