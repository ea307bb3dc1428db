"""Profiles: the packaged defaults, the users' copies, and what is said of missing ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamopt.errors import SolverError
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.profiles import load_profile
from streamopt.solvers.registry import SOLVERS
from tests.support.solver_models import rows_of_cost, solver

DATA = Path(__file__).parents[2] / "solvers"
PACKAGED = Path(__file__).parents[2] / "streamopt" / "solvers" / "profiles"
FILES = sorted(DATA.glob("*/*.toml"))


@pytest.mark.parametrize("name", SOLVERS)
def test_default_in_the_data_folder_is_the_packaged_one(name: str) -> None:
    copy = (DATA / name / "default.toml").read_text(encoding="utf-8")
    assert copy == (PACKAGED / f"{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_shipped_profile_is_accepted_by_its_solver(path: Path) -> None:
    found = solver(path.parent.name)
    options = SolveOptions(profile=load_profile(path.parent.name, str(path)))
    result = found.solve(rows_of_cost(), options)
    assert result.objective is not None
    assert result.objective >= 5.0


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_shipped_profile_explains_every_line(path: Path) -> None:
    first, second, *rest = path.read_text(encoding="utf-8").splitlines()
    assert first.startswith("# ")
    assert second.startswith("# Options: https://")
    assert all("#" in line for line in rest)


def test_folders_are_the_solvers() -> None:
    assert {path.name for path in DATA.iterdir() if path.is_dir()} == set(SOLVERS)


def test_bare_name_is_looked_up_under_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "solvers" / "highs"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('mip_rel_gap = 0.1\nsolver = "ipm"\n', encoding="utf-8")
    (folder / "other.toml").write_text("", encoding="utf-8")
    assert load_profile("highs", "mine") == {"mip_rel_gap": 0.1, "solver": "ipm"}
    with pytest.raises(SolverError) as raised:
        load_profile("highs", "yours")
    assert str(raised.value) == (
        "E505 profile 'yours' for solver 'highs' does not exist\n"
        f"  hint: profiles in '{Path('solvers/highs')}': mine, other"
    )
    with pytest.raises(SolverError) as raised:
        load_profile("scip", "yours")
    assert str(raised.value) == (
        "E505 profile 'yours' for solver 'scip' does not exist\n"
        f"  hint: there are no profiles in '{Path('solvers/scip')}' under the current directory"
    )


def test_file_that_is_not_toml(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("gap = = 1\n", encoding="utf-8")
    with pytest.raises(SolverError, match=r"E505 profile '.*broken.toml' can't be read: "):
        load_profile("highs", str(path))
