"""A solve that is killed, interrupted or repeated: what is on disk is a schedule with a bound."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer

import streamopt as so
from streamopt.cli import EXIT_INTERRUPTED, progress
from streamopt.cli.main import main
from streamopt.cli.output import Output, keeping, let_sigterm_interrupt
from streamopt.pipeline import comparing, reading
from streamopt.solvers.base import Progress
from streamopt.space.level import LEVELS, LevelName
from tests.support.certificate import certify
from tests.support.nightly import in_nightly

TOP = Path(__file__).parents[2]
RUN = [sys.executable, "-c", "from streamopt.cli.main import main; main()"]
PATIENCE_SECONDS = 120
"""For a slow machine; the first schedule is there within seconds."""
OPTIONS = ("--dsp", "5000", "--tiling-limit", "1", "--fifo-depths", "full")


def chain(nodes: int) -> dict[str, Any]:
    """Return a chain of products, whose search takes far longer than its first schedules."""
    extents = [60, 72, 96, 120]
    shapes = {"A0": [48, extents[0]]}
    body: list[dict[str, Any]] = []
    for n in range(nodes):
        inner, outer = extents[n % 4], extents[(n + 1) % 4]
        shapes[f"A{n + 1}"] = [48, outer]
        shapes[f"W{n}"] = [inner, outer]
        loops = {"i": 48, "j": outer, "k": inner}
        text = f"A{n + 1}[i][j] += A{n}[i][k] * W{n}[k][j]"
        body.append({"name": f"n{n}", "loops": loops, "body": [text]})
    roles = {"A0": "input", f"A{nodes}": "output"}
    arrays = {
        name: {
            "shape": shape,
            "role": roles.get(name, "input" if name[0] == "W" else "internal"),
        }
        for name, shape in shapes.items()
    }
    return {"schema_version": 1, "name": "chain", "arrays": arrays, "nodes": body}


def start(folder: Path, solver: str = "auto") -> subprocess.Popen[str]:
    """Start a solve and wait until its first schedule is on disk."""
    (folder / "chain.json").write_text(json.dumps(chain(42)))
    command = [*RUN, "solve", "chain.json", *OPTIONS, "--solver", solver, "--json"]
    running = subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    ends = time.monotonic() + PATIENCE_SECONDS
    while not (folder / "chain.schedule.json").exists():
        assert running.poll() is None
        assert time.monotonic() < ends, "no schedule on disk"
        time.sleep(0.05)
    return running


def check_result(folder: Path) -> dict[str, Any]:
    """Return what is said of the schedule on disk, which must be a valid one."""
    path = folder / "chain.schedule.json"
    graph = so.dataflow(so.load(folder / "chain.json"))
    again = certify(
        graph,
        so.load_schedule(path),
        level=LEVELS[LevelName.OPT5],
        dsp_limit=5000,
        tiling_limit=1,
    )
    result: dict[str, Any] = json.loads(path.read_text())["result"]
    assert again.broken == ()
    assert again.latency_cycles == result["objective_cycles"] >= result["bound_cycles"] > 0
    return result


def test_killed_process_leaves_its_last_schedule(tmp_path: Path) -> None:
    running = start(tmp_path)
    running.kill()
    running.communicate()
    assert running.returncode == -signal.SIGKILL
    result = check_result(tmp_path)
    assert result["final"] is False
    assert (result["proof"], result["stop"]) == ("feasible", "interrupted")


def check_document(printed: str, result: dict[str, Any]) -> None:
    document = json.loads(printed)
    assert {*document.pop("percent")} == {"dsps", "bram18", "uram", "luts", "ffs"}
    assert document.pop("percent_of") == "an SLR"
    assert [warning["code"] for warning in document.pop("warnings")] == ["W09"]
    assert document == result


def test_control_c_returns_the_best_schedule(tmp_path: Path) -> None:
    running = start(tmp_path)
    running.send_signal(signal.SIGINT)
    printed, told = running.communicate(timeout=PATIENCE_SECONDS)
    assert running.returncode == EXIT_INTERRUPTED
    result = check_result(tmp_path)
    check_document(printed, result)
    costs = f"{result['objective_cycles']} cycles, bound {result['bound_cycles']}"
    assert told.splitlines()[-1] == f"interrupted: wrote chain.schedule.json, {costs}"
    assert result["final"] is True
    assert (result["proof"], result["stop"]) == ("feasible", "interrupted")


def descendants(process: int) -> list[int]:
    """Return the processes that a process has started."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], check=True, capture_output=True, text=True
    )
    pairs = [line.split() for line in listed.stdout.splitlines()]
    return [int(pid) for pid, parent in pairs if int(parent) == process]


def wait_for_end(processes: list[int]) -> None:
    """Wait until none of the processes runs; one that nobody has waited for yet has ended."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while True:
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,stat="], check=True, capture_output=True, text=True
        )
        states = dict(line.split()[:2] for line in listed.stdout.splitlines())
        if not [pid for pid in processes if states.get(str(pid), "Z")[0] != "Z"]:
            return
        assert time.monotonic() < ends, "a process was left behind"
        time.sleep(0.05)


@pytest.mark.parametrize("sent", in_nightly([signal.SIGKILL, signal.SIGINT], 1))
def test_race_that_is_ended_leaves_no_process(tmp_path: Path, sent: signal.Signals) -> None:
    running = start(tmp_path, "race")
    sides = descendants(running.pid)
    assert len(sides) == 2
    running.send_signal(sent)
    printed, _ = running.communicate(timeout=PATIENCE_SECONDS)
    wait_for_end(sides)
    path = tmp_path / "chain.schedule.json"
    result = json.loads(path.read_text())["result"]
    assert result["final"] is (sent is signal.SIGINT)
    if sent is signal.SIGINT:
        assert running.returncode == EXIT_INTERRUPTED
        check_document(printed, result)
    assert (result["proof"], result["stop"]) == ("feasible", "interrupted")
    assert result["solver"] == "search+cpsat"


def test_killed_solver_leaves_what_it_had_found(tmp_path: Path) -> None:
    """SCIP needs seconds for its second schedule and for the proof after it."""
    pytest.importorskip("pyscipopt")
    graph = TOP / "graphs" / "polybench" / "2mm.json"
    command = [*RUN, "solve", str(graph), "--solver", "scip", "--formulation", "paper", "-q"]
    running = subprocess.Popen(command, cwd=tmp_path)
    path = tmp_path / "2mm.schedule.json"
    ends = time.monotonic() + PATIENCE_SECONDS
    costs: set[int] = set()
    while len(costs) < 2:
        assert time.monotonic() < ends, "no second schedule on disk"
        time.sleep(0.05)
        if path.exists():
            costs.add(json.loads(path.read_text())["result"]["objective_cycles"])
    running.kill()
    running.wait()
    document = json.loads(path.read_text())
    assert document["result"]["final"] is False
    again = certify(
        so.dataflow(so.load(graph)),
        so.load_schedule(path),
        level=LEVELS[LevelName.OPT5],
        dsp_limit=2560,
        tiling_limit=16,
    )
    assert again.broken == ()
    assert again.latency_cycles == document["result"]["objective_cycles"]


def test_same_input_gives_the_same_schedule_in_every_process(tmp_path: Path) -> None:
    graph = TOP / "graphs" / "synthetic" / "7mm_unbalanced.json"
    texts: list[Any] = []
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [*RUN, "solve", str(graph), "--objective", "latency-dsps", "-q", "--force"],
            cwd=tmp_path,
            env=env,
            check=True,
        )
        assert done.returncode == 0
        document = json.loads((tmp_path / "7mm_unbalanced.schedule.json").read_text())
        del document["result"]["solve_seconds"]
        texts.append(document)
    assert texts[0] == texts[1]


@pytest.mark.nightly
def test_default_solver_repeats_itself_in_every_process(tmp_path: Path) -> None:
    graph = TOP / "graphs" / "polybench" / "atax.json"
    texts: list[Any] = []
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        command = [*RUN, "solve", str(graph), "--solver", "cpsat", "--fifo-depths", "full", "-q"]
        command += ["--force"]
        subprocess.run(command, cwd=tmp_path, env=env, check=True)
        document = json.loads((tmp_path / "atax.schedule.json").read_text())
        texts.append((document["nodes"], document["channels"]))
    assert texts[0] == texts[1]


def test_project_leaves_no_incumbent_beside_it(tmp_path: Path) -> None:
    graph = TOP / "graphs" / "polybench" / "atax.json"
    subprocess.run([*RUN, "solve", str(graph), "-o", "made", "-q"], cwd=tmp_path, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    document = json.loads((tmp_path / "made" / "schedule.json").read_text())
    assert document["result"]["final"] is True


def test_sigterm_ends_as_control_c_does() -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        let_sigterm_interrupt()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_sigterm_interrupts_a_verb(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("streamopt.cli.main.app", lambda: signal.raise_signal(signal.SIGTERM))
    try:
        with pytest.raises(KeyboardInterrupt):
            main()
    finally:
        signal.signal(signal.SIGTERM, before)


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


VERBS = {
    "graph": "",
    "solve": "",
    "pareto": "",
    "design": "--strategy codo",
    "compare": "",
    "simulate": "--schedule x.json",
    "emit": "--schedule x.json -o made",
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_interrupted_in_a_word(
    verb: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reading, "load", interrupt)
    graph = str(TOP / "graphs/polybench/atax.json")
    monkeypatch.setattr(sys, "argv", ["streamopt", verb, graph, *VERBS[verb].split()])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == EXIT_INTERRUPTED
    assert capsys.readouterr() == ("", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_interrupt_tells_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = so.dataflow(so.load(TOP / "graphs/polybench/gesummv.json"))
    to = Output(None, tmp_path / "kept.json", 0)
    with pytest.raises(typer.Exit), keeping(to):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "interrupted before a first schedule\n"
    with pytest.raises(typer.Exit), keeping(to) as keep:
        interrupt(keep(so.solve(graph, dsp=220)))
    words = f"interrupted: wrote {tmp_path / 'kept.json'}, 3124 cycles, bound 3124\n"
    assert capsys.readouterr().err == words
    assert so.load_schedule(tmp_path / "kept.json").nodes


def stopped_row(*_: object) -> dict[str, str]:
    return {"stop": "interrupted"}


def test_interrupted_comparison_goes_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "row_of", stopped_row)
    assert len(so.records(TOP / "graphs/polybench/atax.json")) == 1


def test_progress_is_told_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    stage = "solving atax at opt6"
    with progress.showing(stage, quiet=False) as shown:
        assert shown is not None
        shown.search(Progress(0.0, None, None, 0.0, 10.0))
        shown.search(Progress(1.0, 2000.0, 1500.0, 5.0, 10.0))
        time.sleep(0.2)
        shown.fifos(3, 400)
        time.sleep(0.2)
    with progress.showing(stage, quiet=True) as hidden:
        assert hidden is None
    told = capsys.readouterr().err
    costs = "incumbent 2,000, bound 1,500, gap 25.0 %, effort 5 of 10, at most 0 s left\n"
    assert f"s: solving atax at opt6: {costs}" in told
    assert "s: solving atax at opt6: FIFO depths, 3 of at most 400 simulations\n" in told
