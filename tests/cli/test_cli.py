"""The verbs as a user meets them: output, files, exit codes and error texts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from streamopt.cli.main import main
from tests.support.commands import MATMUL, TOP, graph, run, run_apart, with_body

if TYPE_CHECKING:
    from pathlib import Path


def test_solve_writes_a_schedule_and_tells_the_proof(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", MATMUL, "--dsp", 2560)
    assert done.returncode == 0
    first, second = (line.split("│")[1:3] for line in done.stdout.splitlines()[2:4])
    assert [word.strip() for word in first] == [
        "simulated",
        "49,100 cycles: 0.164 ms at 300 MHz, 0.227 ms at 216 MHz",
    ]
    assert second[0].strip() == "of an SLR"
    assert second[1].startswith(" DSP 83 %, LUT ")
    assert "49,019 cycles" in done.stdout
    assert "optimal in the opt5 model (proved)" in done.stdout
    assert "2500 of 2560" in done.stdout
    assert done.stderr.startswith("warning: W05 2503 DSP are 83 % of an SLR")
    assert done.stderr.rstrip().splitlines()[-1].startswith("warning: W09 no vendor tool")
    assert done.stdout.splitlines()[-2:] == [
        "wrote 3mm.schedule.json",
        "next: -o build/3mm writes the HLS project as well",
    ]
    schedule = json.loads((tmp_path / "3mm.schedule.json").read_text())
    assert [node["node"] for node in schedule["nodes"]] == ["gemm1", "gemm2", "gemm3"]
    assert schedule["result"]["proof"] == "optimal"


def test_a_model_that_is_not_the_hardware_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "fir.c").write_text(
        "void fir(const float x[79], const float h[16], float y[64]) {\n"
        "  for (int n = 0; n < 64; n++) {\n"
        "    y[n] = 0.0f;\n"
        "    for (int t = 0; t < 16; t++) y[n] += x[n + 15 - t] * h[t];\n"
        "  }\n}\n"
    )
    done = run(tmp_path, "solve", "fir.c", "--dsp", 256)
    (model,) = (line for line in done.stdout.splitlines() if "│ model " in line)
    assert "(that of opt5, which is not the hardware here: W01)" in model
    assert "W01 the opt5 model misses port conflicts here" in done.stderr
    done = run(tmp_path, "solve", MATMUL, "--dsp", 2560)
    assert "(that of opt5, as Stream-HLS publishes it)" in done.stdout


def test_json_is_one_object(tmp_path: Path) -> None:
    done = run(tmp_path, "solve", MATMUL, "--dsp", 2560, "--json")
    row = json.loads(done.stdout)
    assert {
        "name", "level", "dsp_limit", "objective_cycles", "bound_cycles", "gap", "proof", "stop",
        "dsps_used", "roofline_cycles", "solver", "solve_seconds",
    } <= set(row)  # fmt: skip
    assert row["name"] == "3mm"
    assert row["level"] == "opt5"
    assert row["dsp_limit"] == 2560
    assert row["objective_cycles"] == row["bound_cycles"] == 49019
    assert row["gap"] == 0
    assert (row["proof"], row["stop"]) == ("optimal", "finished")
    assert row["dsps_used"] <= 2560
    assert row["roofline_cycles"] == 44532


def test_project_is_emitted_and_verified(tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(json.dumps(graph()))
    options = ("--dsp", 40, "--tiling-limit", 2)
    assert run(tmp_path, "solve", "two.json", *options, "-o", "made", "-q").returncode == 0
    assert (tmp_path / "made" / "schedule.json").exists()
    checked = run(tmp_path, "verify", "made")
    assert checked.returncode == 0
    assert checked.stdout.splitlines()[-1] == "passed"
    missing = run(tmp_path, "verify", "made", "--compiler", "none++")
    assert (missing.returncode, missing.stderr[:26]) == (2, "error: E701 C++ compiler '")
    again = run(tmp_path, "emit", "two.json", "--schedule", "made/schedule.json", "-o", "again")
    assert again.returncode == 0
    kernel = "two.cpp"
    assert (tmp_path / "again" / kernel).read_bytes() == (tmp_path / "made" / kernel).read_bytes()
    text = (tmp_path / "made" / kernel).read_text()
    (tmp_path / "made" / kernel).write_text(text.replace("A[i][k] * B", "2.0f * A[i][k] * B"))
    wrong = run(tmp_path, "verify", "made", "--json")
    assert wrong.returncode == 1
    verdict = json.loads(wrong.stdout)
    assert verdict["passed"] is False
    assert "E716 node 'product' writes a wrong token to C" in verdict["first_wrong"]


def test_native_project_is_emitted_and_verified(tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(json.dumps(graph()))
    options = ("--dsp", 40, "--tiling-limit", 2)
    assert run(tmp_path, "solve", "two.json", *options, "-q").returncode == 0
    given = ("two.json", "--schedule", "two.schedule.json", "--backend", "native")
    made = run(tmp_path, "emit", *given, "-o", "made")
    assert made.stdout == "wrote made: two.h, two.cpp, testbench.cpp, dataflow.h, Makefile\n"
    checked = run(tmp_path, "verify", "made", "--traces")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.splitlines()[-1] == "passed"


def test_compare_shows_all_levels(tmp_path: Path) -> None:
    done = run(tmp_path, "compare", TOP / "graphs/polybench/atax.json", "--csv", "t.csv", "--json")
    rows = json.loads(done.stdout)
    assert [row["level"] for row in rows] == ["opt1", "opt2", "opt3", "opt4", "opt5", "opt6"]
    assert [row["objective_cycles"] for row in rows[:5]] == [1277636, 319409, 8420, 2105, 2105]
    assert rows[5]["simulated_cycles"] < 1000
    assert rows[4]["interval_cycles"] < rows[4]["simulated_cycles"]  # two nodes, each has a frame
    assert all(list(row) == list(rows[0]) for row in rows)
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 7
    paper = ("--levels", "opt1,opt5")
    shown = run(tmp_path, "compare", TOP / "graphs/polybench/atax.json", *paper).stdout
    assert "582.3x" in shown
    assert "interval" in shown


def test_solvers_are_listed(tmp_path: Path) -> None:
    done = run(tmp_path, "solvers", "--json")
    names = [row["name"] for row in json.loads(done.stdout)]
    assert names == ["cpsat", "highs", "scip", "gurobi", "scipy"]
    assert "cpsat" in run(tmp_path, "solvers").stdout


def test_time_limit_gives_an_honest_answer(tmp_path: Path) -> None:
    attention = TOP / "graphs/transformers/multi_head_attention.json"
    arguments = ("--dsp", 2560, "--tiling-limit", 1, "--time-limit", 0.001)
    row = json.loads(run(tmp_path, "solve", attention, *arguments, "--json").stdout)
    assert (row["proof"], row["stop"]) == ("feasible", "time_limit")
    assert row["bound_cycles"] <= 32830 < row["objective_cycles"] < 10579822
    told = run(tmp_path, "solve", attention, *arguments, "--force").stdout
    assert "% above the optimum; stopped by the time limit" in " ".join(told.split())


CYCLE = graph(
    arrays={
        "A": {"shape": [8, 8], "role": "input"},
        "C": {"shape": [8, 8], "role": "internal"},
        "Y": {"shape": [8, 8], "role": "output"},
    },
    nodes=[
        {"name": "one", "loops": {"i": 8, "j": 8}, "body": ["C[i][j] = A[i][j] + Y[i][j]"]},
        {"name": "two", "loops": {"i": 8, "j": 8}, "body": ["Y[i][j] = C[i][j]"]},
    ],
)
BAD_INPUT = {
    "unknown key": (
        graph(nodez=[]),
        "error: g.json:nodez: E102 unknown key 'nodez'\n  hint: did you mean 'nodes'?\n",
    ),
    "cycle": (
        CYCLE,
        "error: g.json:nodes[0]: E202 nodes wait for each other: one -> two -> one through C, Y\n",
    ),
    "non-affine": (
        with_body("Y[i][j] = C[i*j][j]"),
        "error: g.json:nodes[1].body[0]:13: E110 subscript i*j of C is not affine\n",
    ),
    "out of bounds": (
        with_body("Y[i][j] = C[i + 1][j]"),
        "error: g.json:nodes[1].body[0]:11: E111 C[i + 1][j] reaches [1, 8] in dimension 0 of C, "
        "whose extent is 8\n",
    ),
    "mismatched shape": (
        with_body("Y[i][j] = C[i]"),
        "error: g.json:nodes[1].body[0]:11: E109 C has 2 dimensions, but C[i] has 1 subscript\n",
    ),
    "undefined array": (
        with_body("Y[i][j] = Z[i][j]"),
        "error: g.json:nodes[1].body[0]:11: E107 array 'Z' is not declared\n",
    ),
}


@pytest.mark.parametrize("kind", BAD_INPUT)
def test_bad_input_is_a_clear_error(kind: str, tmp_path: Path) -> None:
    document, message = BAD_INPUT[kind]
    (tmp_path / "g.json").write_text(json.dumps(document))
    done = run(tmp_path, "solve", "g.json", "-o", "made")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(message.rstrip("\n")), done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["g.json"]


def test_extents_are_positive(tmp_path: Path) -> None:
    document = graph()
    document["arrays"]["A"]["shape"] = [0, 6]
    document["nodes"][0]["loops"]["k"] = -1
    (tmp_path / "g.json").write_text(json.dumps(document))
    done = run(tmp_path, "solve", "g.json")
    assert done.returncode == 2
    first, second = (line for line in done.stderr.splitlines() if line.startswith("error"))
    assert first == "error: g.json:arrays.A.shape[0]: E105 0 is not a possible extent or trip count"
    assert second == (
        "error: g.json:nodes[0].loops.k: E105 -1 is not a possible extent or trip count"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("solve", "none.json"),
            "error: none.json: E101 the file can't be read: No such file or directory\n",
        ),
        (
            ("solve", MATMUL, "--dsp", 3),
            "error: E401 3mm needs at least 15 DSPs with no unrolling (gemm1 5, gemm2 5, gemm3 5), "
            "but the limit is 3\n  hint: give --dsp 15 or more\n",
        ),
        (
            ("solve", MATMUL, "--solver", "cplex"),
            "error: E501 unknown solver 'cplex'\n"
            "  hint: known solvers: auto, search, exhaustive, race, cpsat, highs, scip, gurobi, "
            "scipy\n",
        ),
        (
            ("solve", MATMUL, "--formulation", "paper"),
            "error: E502 solver 'cpsat' can't take",
        ),
        (("compare", MATMUL, "--levels", "opt9"), "error: E130 there is no level opt9\n"),
        (("verify", "."), "error: E722 "),
        (("emit", MATMUL, "--schedule", "none.json", "-o", "x"), "error: none.json: E121 the file"),
        (("solve", MATMUL, "--schedule", "no/such/place.json"), "error: no/such/place.json: E116 "),
    ],
)
def test_other_errors(arguments: tuple[object, ...], message: str, tmp_path: Path) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(message), done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_missing_solver_names_the_remedy(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pyscipopt'] = None; "
        "from streamopt.solvers.scip import Scip; "
        "Scip.is_available = classmethod(lambda _: False); "
        "from streamopt.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "solve", str(MATMUL), "--solver", "scip"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "E504 solver 'scip' is not installed" in done.stderr
    assert re.search(r"hint: pip install .*\[scip\]'", done.stderr)


def test_a_process_ends_with_the_exit_code(tmp_path: Path) -> None:
    ways = [way(tmp_path, "solve", MATMUL, "--dsp", 3) for way in (run, run_apart)]
    assert {(done.returncode, done.stdout, done.stderr) for done in ways} == {
        (2, "", ways[0].stderr)
    }


def test_schedule_of_another_graph_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path, "solve", MATMUL, "-q").returncode == 0
    other = TOP / "graphs/polybench/2mm.json"
    done = run(tmp_path, "emit", other, "--schedule", "3mm.schedule.json", "-o", "made")
    assert done.returncode == 2
    assert "E30" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["3mm.schedule.json"]


def test_front_is_written_as_table_and_chart(tmp_path: Path) -> None:
    gemm = TOP / "graphs/polybench/gemm.json"
    files = ("--csv", "f.csv", "--plot", "f.png", "--schedules", "points")
    document = json.loads(run(tmp_path, "pareto", gemm, *files, "--json").stdout)
    assert (document["proof"], document["open"]) == ("optimal", [])
    points = document["points"]
    assert points[0]["latency_cycles"] == points[0]["bound_cycles"] == 23999
    assert points[-1]["dsps"] == points[-1]["bound_dsps"] == 13
    assert len((tmp_path / "f.csv").read_text().splitlines()) == 1 + len(points)
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert len(list((tmp_path / "points").iterdir())) == len(points)
    told = run(tmp_path, "pareto", gemm, "--time-limit", 0.000001).stdout
    assert "1 parts may hold more; stopped by the time limit" in told
    assert "within 42239996 cycles and 2560 DSPs" in told


def test_objectives_are_told_in_their_units(tmp_path: Path) -> None:
    fewest = run(tmp_path, "solve", MATMUL, "--objective", "dsps", "--latency-target", 100000)
    assert "1250 DSPs within 100,000 cycles, gap 0.00 %" in fewest.stdout
    row = json.loads((tmp_path / "3mm.schedule.json").read_text())["result"]
    assert (row["objective"], row["bound_dsps"], row["dsps_used"]) == ("dsps", 1250, 1250)
    assert row["latency_target_cycles"] == 100000 >= row["objective_cycles"]
    paced = run(
        tmp_path, "solve", MATMUL, "--objective", "interval", "--fifo-depths", "full", "--force"
    )
    assert "47,879 cycles between frames, gap 0.00 %" in paced.stdout
    refused = run(
        tmp_path, "solve", MATMUL, "--objective", "dsps", "--latency-target", 48500, "--force"
    )
    assert refused.returncode == 2
    assert refused.stderr == (
        "error: E403 3mm can't be done in 48500 cycles with 2560 DSPs at opt5: the best is 49019 "
        "cycles; its longest runs are gemm3 47879, gemm1 45599, gemm2 43889\n"
        "  hint: give --latency-target 49019 or more, or --dsp 2620 (the fewest)\n"
    )


def test_lack_of_memory_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def exhausted() -> None:
        raise MemoryError

    monkeypatch.setattr("streamopt.cli.main.app", exhausted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("error: E120 there is not enough memory for this")


def test_project_that_can_not_be_checked_says_so(tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text(json.dumps(with_body("Y[i][j] = sqrt(0 - 9 - C[i][j])")))
    asked = run(tmp_path, "solve", "g.json", "-o", "p", "-q", "--inputs", "A=0:1,spd")
    assert asked.returncode == 2
    assert "E713 output Y[0][0] is no number: sqrt(-" in asked.stderr
    assert not (tmp_path / "p").exists()
    done = run_apart(tmp_path, "solve", "g.json", "-o", "p", "-q")  # as pytest takes warnings
    assert done.returncode == 0
    assert done.stderr.startswith("warning: can't be verified: ")
    checked = run(tmp_path, "verify", "p")
    assert checked.returncode == 1
    assert "UNCHECKED Y: 64 elements, 64 unchecked" in checked.stdout
    assert "UNCHECKED: no test inputs were found that suit the program" in checked.stdout


def test_test_inputs_are_for_verbs_that_write_projects(tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text(json.dumps(with_body("Y[i][j] = sqrt(C[i][j])")))
    refused = run(tmp_path, "pareto", "g.json", "--inputs", "spd")
    assert refused.returncode == 2
    assert "E117 --inputs spd says how a project is tested" in refused.stderr
    refused = run(tmp_path, "solve", "g.json", "-o", "p", "--inputs", "1x3y")
    assert refused.returncode == 2
    assert "E724 '1x3y' doesn't say how test inputs are drawn" in refused.stderr
