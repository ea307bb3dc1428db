"""What an experiment asks for, and what is told where it is wrong."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.errors import SweepError
from streamopt.sweeping.documents import read_experiment
from streamopt.sweeping.points import points_of
from tests.support.small_experiment import ENVIRONMENT, GRAPH, RUN, small_experiment

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.sweeping.points import Point


def points(folder: Path, text: str) -> list[Point]:
    small_experiment(folder, 1)
    file = folder / "experiment.toml"
    file.write_text(text)
    return points_of(read_experiment(file), file)


def test_every_combination_is_a_point_once(tmp_path: Path) -> None:
    found = points(
        tmp_path,
        'graphs = ["small/act.json", "small/*.json"]\nlevels = ["opt1", "opt5"]\n'
        'strategies = ["hida"]\ndsps = [7, 9]\nsolvers = ["auto", "highs"]\n'
        "tiling_limits = {act = 2, default = 8}\n"
        '[[more]]\nlevels = ["opt5"]\nstrategies = []\ndsps = [9, 11]\nsolvers = ["auto"]\n',
    )
    names = [(point.way.name, point.way.solver, point.way.dsp) for point in found]
    levels = [(level, one, dsp) for dsp in (7, 9) for level in ("opt1", "opt5") for one in
              ("auto", "highs")]  # fmt: skip
    expected = {*levels, ("hida", "auto", 7), ("hida", "auto", 9), ("opt5", "auto", 11)}
    assert len(names) == len(set(names))
    assert set(names) == expected
    assert {point.program for point in found} == {"small/act"}
    assert {point.way.tiling_limit for point in found if point.way.level} == {2}


def test_parts_of_the_device_are_points_of_levels_alone(tmp_path: Path) -> None:
    found = points(
        tmp_path,
        'graphs = ["small/act.json"]\nlevels = ["opt6"]\nstrategies = ["hida"]\ndsps = [9]\n'
        'fits = ["slr", "raw-device"]\n[[more]]\nfits = []\n',
    )
    fits = {(point.way.name, point.way.fit) for point in found}
    assert fits == {("opt6", "slr"), ("opt6", "raw-device"), ("opt6", ""), ("hida", "")}


def test_an_unknown_part_of_the_device_is_told_with_all_parts(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="'slr', 'board', 'device', 'raw' or 'raw-device'"):
        points(tmp_path, 'graphs = ["small/act.json"]\nlevels = ["opt6"]\nfits = ["half"]\n')


@pytest.mark.parametrize(
    "change",
    [
        ("seeds = [0]", "seeds = [1]"),
        ("dsps = [9]", "dsps = [8]"),
        ('device = "u280"', 'device = "u250"'),
        ("row_limit_seconds = 5", "row_limit_seconds = 6"),
    ],
)
def test_key_is_of_what_determines_the_row(tmp_path: Path, change: tuple[str, str]) -> None:
    text = (
        'graphs = ["small/act.json"]\nlevels = ["opt1"]\nseeds = [0]\ndsps = [9]\n'
        'device = "u280"\nrow_limit_seconds = 5\n'
    )
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    after.mkdir()
    same = points(before, text)[0].key
    assert points(after, text.replace(*change))[0].key != same
    document = json.dumps(GRAPH, indent=3)
    (after / "small" / "act.json").write_text(document)
    (after / "experiment.toml").write_text(text)
    file = after / "experiment.toml"
    assert points_of(read_experiment(file), file)[0].key == same
    (after / "small" / "act.json").write_text(document.replace("relu(A[i][j])", "A[i][j]"))
    assert points_of(read_experiment(file), file)[0].key != same


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("graphs = [", "experiment.toml: E881 the experiment can't be read: Invalid"),
        ('levels = ["opt1"]', "experiment.toml: E882 no graphs"),
        ('graphs = ["small/*.json"]', "experiment.toml: E882 neither levels nor strategies"),
        ('graphs = ["x"]\nlevels = ["opt9"]', "experiment.toml:levels[0]: E882 Input should be"),
        ('graphs = ["x"]\nlevel = ["opt1"]', "experiment.toml:level: E882 Extra inputs"),
        ('graphs = ["x"]\nlevels = ["opt1"]', "experiment.toml:graphs: E883 'x' is no file"),
        (
            'graphs = ["x"]\nlevels = ["opt1"]\n[[more]]\ndsps = [0]',
            "experiment.toml:more[0].dsps[0]: E882 Input should be greater",
        ),
    ],
)
def test_wrong_experiments_are_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SweepError) as error:
        points(tmp_path, text)
    assert str(error.value).replace(f"{tmp_path}/", "").startswith(told)


def test_two_graphs_of_one_name_are_told(tmp_path: Path) -> None:
    (tmp_path / "other" / "small").mkdir(parents=True)
    (tmp_path / "other" / "small" / "act.json").write_text(json.dumps(GRAPH))
    with pytest.raises(SweepError, match="E883 two graphs are called small/act"):
        points(tmp_path, 'graphs = ["small/*.json", "other/small/*.json"]\nlevels = ["opt1"]')


def test_graphs_are_c_files_with_macros(tmp_path: Path) -> None:
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "sizes.h").write_text("#define N (HALF + HALF)\n")
    (tmp_path / "half.c").write_text(
        '#include "sizes.h"\n'
        "void half(float a[N], float b[N]) { for (int i = 0; i < N; i++) b[i] = a[i] / 2; }\n"
    )
    text = (
        'graphs = ["half.c"]\nlevels = ["opt1"]\ndefines = { HALF = "8" }\ninclude = ["headers"]\n'
    )
    (point,) = points(tmp_path, text)
    assert json.loads(point.graph)["arrays"]["a"]["shape"] == [16]
    file = tmp_path / "experiment.toml"
    file.write_text(text + '[[more]]\ndefines = { HALF = "4" }\n')
    with pytest.raises(SweepError, match=r"E883 two graphs are called .* with HALF=4"):
        points_of(read_experiment(file), file)


def test_key_does_not_say_where_a_checkout_is(tmp_path: Path) -> None:
    keys: list[str] = []
    for name in ("one", "other"):
        folder = tmp_path / name
        (folder / "headers").mkdir(parents=True)
        (folder / "headers" / "loop.h").write_text("for (int i = 0; i < 4; i++) y[i] = x[i] + 1;\n")
        (folder / "c").mkdir()
        (folder / "c" / "f.c").write_text(
            'void f(float x[4], float y[4]) {\n#include "loop.h"\n}\n'
        )
        (own,) = points(
            folder, 'graphs = ["c/f.c"]\ninclude = ["headers"]\nstrategies = ["hida"]\ndsps = [9]\n'
        )
        keys.append(own.key)
    assert keys[0] == keys[1]


def test_failures_are_rows_and_are_kept(tmp_path: Path) -> None:
    text = 'strategies = ["hida"]\ndsps = [1, 9]\n[[more]]\nsolvers = ["none"]\nstrategies = []\n'
    file = small_experiment(tmp_path, 1, text)
    table: Any = so.sweep(file)
    ways = list(zip(table["level"] + table["strategy"], table["asked_solver"], strict=True))
    assert ways == [("opt1", "auto"), ("opt1", "auto"), ("hida", ""), ("hida", ""),
                    ("opt1", "none"), ("opt1", "none")]  # fmt: skip
    assert list(table["status"][4:]) == ["refused", "refused"]
    assert table["message"][4].startswith("E501 unknown solver 'none'")
    assert table["status"][1] == "done"
    asked: Any = so.sweep(file, redo=["failed"])
    assert asked["run"][1] == table["run"][1]
    assert asked["run"][4] != table["run"][4]
    again: Any = so.sweep(file)
    assert list(again["run"]) == list(asked["run"])


def test_verb_tells_what_there_is(tmp_path: Path) -> None:
    file = small_experiment(tmp_path, 2)
    command = [*RUN, "sweep", str(file), "-o", "out", "--jobs", "0"]
    done = subprocess.run(
        command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.split("\n")[0]) == (
        2,
        "error: E887 0 rows at the same time",
    )
    command[-1] = "2"
    done = subprocess.run(
        command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 rows: 2 done\nwrote out/rows.csv and out/environment.json\n"
    about = json.loads((tmp_path / "out" / "environment.json").read_text())
    assert (about["rows"], about["runs"][0]["means"]) == (2, "2 local processes")
