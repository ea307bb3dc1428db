"""Runs that go on from earlier ones: what is kept, what is done anew, and what is never lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.running import search as search_of_runs
from streamopt.running.journal import journal_of
from streamopt.running.outcome import KEPT, RunInterruptedError
from streamopt.running.steps import Silence, Step, StepEnd
from streamopt.solvers.result import Stop
from tests.support.commands import RUN, TERMINAL, graph, run

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """
#include "extent.h"
void scaled(const float a[N][N], const float b[N][N], float c[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      c[i][j] = 0;
      for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
    }
}
"""
QUICK = so.RunOptions(compiler="none++")
"""Nothing is compiled."""


class Steps(Silence):
    """Keeps how each step ended."""

    def __init__(self) -> None:
        self.ends: dict[str, str] = {}

    def end(self, name: str, words: str, outcome: str = StepEnd.DONE) -> None:
        del words
        self.ends[name] = outcome

    @property
    def kept(self) -> list[str]:
        return [name for name, outcome in self.ends.items() if outcome == StepEnd.KEPT]


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "extent.h").write_text("#define N 6\n")
    path = tmp_path / "scaled.c"
    path.write_text(KERNEL)
    return path


def again(source: Path | str, **options: Any) -> tuple[so.RunOutcome, Steps]:
    """Run opt5 without a compiler."""
    steps = Steps()
    asked = replace(QUICK, listener=steps, **options)
    return so.run(str(source), level="opt5", dsp=40, options=asked), steps


def test_a_kernel_becomes_a_verified_design_with_its_report(kernel: Path) -> None:
    done = run(kernel.parent, "run", "scaled.c", "--dsp", 40)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("scaled at opt6, the fastest found within the vendor's guideline")
    for label in (
        "simulated",
        "of an SLR",
        "proof",
        "bound by",
        "verified   passed",
        "warnings",
        "report",
    ):
        assert f"\n  {label}" in done.stdout
    for step in Step:
        assert f"s: {step}: " in done.stderr
    folder = kernel.parent / "build" / "scaled"
    assert {path.name for path in folder.iterdir()} == {
        *("graph.json", "schedule.json", "project", "report.html", "run.json")
    }
    assert run(kernel.parent, "verify", "build/scaled").stdout.endswith("passed\n")
    told = run(kernel.parent, "run", "scaled.c", "--dsp", 40, "--json")
    document = json.loads(told.stdout)
    assert document["passed"] is True
    assert document["simulated_cycles"] > 0


def test_steps_are_kept_until_something_changes(kernel: Path) -> None:
    first, steps = again(kernel)
    assert (first.passed, steps.kept) == (False, [])
    assert [problem.code for problem in first.problems] == ["E701"]
    assert first.report.exists()
    second, steps = again(kernel)
    assert steps.kept == ["read", "solve", "write", "report"]
    assert second.facts == first.facts
    kernel.write_text(f"/* a comment */\n\n{KERNEL}")
    assert again(kernel)[1].kept == ["solve", "write", "report"]
    (kernel.parent / "extent.h").write_text("#define N 7\n")
    third, steps = again(kernel)
    assert steps.kept == []
    assert third.facts["simulated_cycles"] != first.facts["simulated_cycles"]


def test_steps_are_done_anew_if_asked_or_lost(kernel: Path) -> None:
    again(kernel)
    assert again(kernel, first="write")[1].kept == ["read", "solve"]
    folder = kernel.parent / "build" / "scaled"
    (folder / "schedule.json").unlink()
    assert again(kernel)[1].kept == ["read", "write", "report"]
    shutil.rmtree(folder / "project")
    assert again(kernel)[1].kept == ["read", "solve", "report"]
    assert again(kernel, force=True)[1].kept == []


def test_files_that_somebody_changed_are_left(kernel: Path) -> None:
    again(kernel)
    schedule = kernel.parent / "build" / "scaled" / "schedule.json"
    edited = f"{schedule.read_text()}\n"
    schedule.write_text(edited)
    with pytest.raises(so.StreamoptError, match=r"schedule\.json: E575 .*\n.*--from solve") as told:
        again(kernel)
    assert told.value.diagnostics[0].code == "E575"
    assert schedule.read_text() == edited
    assert again(kernel, first="solve")[0].facts


def test_folders_of_others_are_left(kernel: Path) -> None:
    again(kernel)
    other = kernel.parent / "other" / "scaled.c"
    other.parent.mkdir()
    shutil.copy(kernel.parent / "extent.h", other.parent)
    other.write_text(KERNEL)
    with pytest.raises(so.StreamoptError, match=r"E571 this folder has the run of .*scaled\.c\n"):
        again(other)
    assert again(other, force=True)[1].kept == []
    (kernel.parent / "build" / "scaled").rename(kernel.parent / "build" / "mine")
    (kernel.parent / "build" / "scaled").mkdir()
    (kernel.parent / "build" / "scaled" / "notes.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(so.StreamoptError, match="E571 here is something that streamopt run"):
            again(kernel, force=force)
    (kernel.parent / "build" / "mine" / "project").rename(kernel.parent / "build" / "taken")
    asked = replace(QUICK, name="taken")
    with pytest.raises(so.StreamoptError, match="E571 here is a project already"):
        so.run(str(kernel), level="opt5", dsp=40, options=asked)


def test_folders_that_cannot_be_used_are_refused(kernel: Path) -> None:
    again(kernel)
    folder = kernel.parent / "build" / "scaled"
    with (
        journal_of(folder, str(kernel), force=False),
        pytest.raises(so.StreamoptError, match="E572 another run works"),
    ):
        again(kernel)
    (folder / "run.json").write_text('{"schema_version": 1, "steps": 3}')
    with pytest.raises(so.StreamoptError, match=r"run\.json: E573"):
        again(kernel)
    with pytest.raises(so.StreamoptError, match="E574 the folder can't be made: Not a directory"):
        so.run(str(kernel), kernel / "below", options=QUICK)


def test_a_source_that_cannot_be_read_leaves_nothing(kernel: Path) -> None:
    kernel.write_text("void f(")
    with pytest.raises(so.StreamoptError, match="E132"):
        again(kernel)
    assert [*(kernel.parent / "build").iterdir()] == []


def test_programs_of_python_run_too(kernel: Path) -> None:
    program = so.load(str(kernel))
    found = so.run(program, level="opt5", dsp=40, options=QUICK)
    assert found.folder.name == "scaled"
    assert len(found.schedule.nodes) == 1
    assert "  simulated" in str(found)


def test_an_interrupted_search_is_kept(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run searches again and ends at least as good; one from `write` takes it."""
    solve = search_of_runs.solve

    def stopped(*words: Any, **options: Any) -> Any:
        found = solve(*words, **options)
        return replace(found, stop=Stop.INTERRUPTED)

    monkeypatch.setattr(search_of_runs, "solve", stopped)
    with pytest.raises(
        RunInterruptedError, match=r"kept .* simulated, .* modelled, bound "
    ) as told:
        again(kernel)
    assert "--from write" in told.value.hint
    kept = kernel.parent / "build" / "scaled" / KEPT
    assert json.loads(kept.read_text())["result"]["final"] is False
    monkeypatch.setattr(search_of_runs, "solve", None)
    found, _ = again(kernel, first="write")
    assert found.facts["simulated_cycles"] > 0
    assert not kept.exists()
    monkeypatch.setattr(search_of_runs, "solve", solve)
    anew, steps = again(kernel, first="solve")
    assert steps.kept == ["read", "report"] or "solve" not in steps.kept
    assert anew.facts["simulated_cycles"] <= found.facts["simulated_cycles"]


def test_the_better_of_two_searches_stays(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = again(kernel)
    solve = search_of_runs.solve

    def worse(*words: Any, **options: Any) -> Any:
        return solve(*words, **{**options, "dsp": 5})

    monkeypatch.setattr(search_of_runs, "solve", worse)
    second, steps = again(kernel, first="solve")
    assert "solve" not in steps.kept
    assert second.facts["simulated_cycles"] == first.facts["simulated_cycles"]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_search_that_is_ended_goes_on(tmp_path: Path, sent: signal.Signals) -> None:
    many = [
        {
            "name": f"n{n}",
            "loops": {"i": 48, "j": 60, "k": 60},
            "body": [f"A{n + 1}[i][j] += A{n}[i][k] * W{n}[k][j]"],
        }
        for n in range(24)
    ]
    arrays: dict[str, Any] = {f"A{n}": {"shape": [48, 60], "role": "internal"} for n in range(25)}
    arrays |= {"A0": {"shape": [48, 60], "role": "input"}}
    arrays |= {"A24": {"shape": [48, 60], "role": "output"}}
    arrays |= {f"W{n}": {"shape": [60, 60], "role": "input"} for n in range(24)}
    (tmp_path / "two.json").write_text(json.dumps(graph(arrays=arrays, nodes=many)))
    command = [*RUN, "run", "two.json", "--level", "opt5", "--compiler", "none++"]
    env = {**os.environ, **TERMINAL}
    running = subprocess.Popen(
        command, cwd=tmp_path, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    kept = tmp_path / "build" / "two" / KEPT
    ends = time.monotonic() + 120
    while not kept.exists():
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < ends, "no schedule on disk"
        time.sleep(0.02)
    running.send_signal(sent)
    _, told = running.communicate(timeout=120)
    if sent is signal.SIGINT:
        assert running.returncode == 130
        assert "interrupted: kept " in told
        assert told.splitlines()[-1].startswith("  hint: the same command searches on; with --from")
    assert so.load_schedule(kept).nodes
    done = run(tmp_path, *command[len(RUN) :], "--from", "write")
    assert "s: solve: " in done.stderr
    assert "verified   no: E701" in done.stdout
