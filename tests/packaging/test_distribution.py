"""What is released: one version, a wheel with every file, and a source archive that builds it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email.parser import Parser
from importlib import resources
from pathlib import Path

import pytest
from packaging.version import Version
from typer.testing import CliRunner

import streamopt as so
from streamopt.cli.main import app

TOP = Path(__file__).parents[2]
KERNEL = """
void scaled(float A[24][16], float B[16][20], float C[24][20]) {
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 20; j++) {
            C[i][j] = 0;
            for (int k = 0; k < 16; k++) C[i][j] += 2 * A[i][k] * B[k][j];
        }
}
"""
INFO = r"[^/]+\.(dist-info|data)/"
VERBS = """
--version
solve scaled.c --dsp 64 -o scaled
verify scaled
report scaled -o scaled.html
solvers
explain E401
"""


def run(*words: object, place: Path = TOP) -> str:
    """Run a program without this checkout on its path; return what it printed."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, words)], cwd=place, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(kind: str, folder: Path, source: Path = TOP) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder, place=source)
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("wheel"))


def files(wheel: Path) -> set[str]:
    return {name for name in zipfile.ZipFile(wheel).namelist() if not re.match(INFO, name)}


def metadata(wheel: Path) -> dict[str, list[str]]:
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    fields = Parser().parsestr(archive.read(name).decode())
    return {key: fields.get_all(key, []) for key in fields}


def test_there_is_one_version(wheel: Path) -> None:
    cited = re.findall(r"^version: (.+)$", (TOP / "CITATION.cff").read_text(), re.MULTILINE)
    sections = re.findall(r"^## (\d.*)$", (TOP / "CHANGELOG.md").read_text(), re.MULTILINE)
    released = Version(so.__version__).base_version
    assert cited == [so.__version__]
    assert sections[0] == released
    assert metadata(wheel)["Version"] == [so.__version__]
    assert CliRunner().invoke(app, ["--version"]).stdout == f"streamopt {so.__version__}\n"


def test_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    there = {
        path.relative_to(TOP).as_posix()
        for path in (TOP / "streamopt").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files(wheel) == there
    assert {Path(name).suffix for name in there} >= {".html", ".toml", ".json", ".csv", ".h"}
    assert (resources.files("streamopt") / "py.typed").is_file()


def test_metadata_is_honest(wheel: Path) -> None:
    told = metadata(wheel)
    assert "Project-URL" not in told  # there is none to give
    assert "Home-page" not in told
    assert told["License-Expression"] == ["Apache-2.0"]
    oldest = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["pyright"]["pythonVersion"]
    assert told["Requires-Python"] == [f">={oldest}"]
    assert f"Programming Language :: Python :: {oldest}" in told["Classifier"]
    assert "Typing :: Typed" in told["Classifier"]


def test_source_archive_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = built("sdist", tmp_path / "sdist")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    assert {"Makefile", "README.md", "CITATION.cff", "tests", "docs"} <= {*os.listdir(source)}
    assert files(built("wheel", tmp_path / "again", source)) == files(wheel)


def check_designs(program: Path, place: Path) -> None:
    """Check that an installed streamopt solves, verifies and reports, far from any checkout."""
    (place / "scaled.c").write_text(KERNEL)
    told = "".join(run(program, *line.split(), place=place) for line in VERBS.split("\n") if line)
    assert told.startswith(f"streamopt {so.__version__}\n")
    assert "passed" in told
    assert "<svg" in (place / "scaled.html").read_text()
    where = "import streamopt; print(streamopt.__file__)"
    used = Path(run(program.parent / "python", "-c", where, place=place).strip())
    assert used.is_relative_to(program.parents[1])
    assert (program.parents[1] / "share/man/man1/streamopt.1").is_file()


@pytest.mark.slow
def test_installed_wheel_needs_no_checkout(wheel: Path, tmp_path: Path) -> None:
    """Dependencies are borrowed from the environment of the tests, whose streamopt isn't seen."""
    home = tmp_path / "home"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel)
    (packages,) = home.glob("lib/python*/site-packages")
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "borrowed.pth").write_text("\n".join(borrowed))
    check_designs(home / "bin" / "streamopt", tmp_path)


@pytest.mark.nightly
def test_core_install_is_enough(wheel: Path, tmp_path: Path) -> None:
    """From nothing to a verified design and its report with what pip brings unasked."""
    home = tmp_path / "home"
    venv.create(home, with_pip=True)
    run(home / "bin" / "python", "-m", "pip", "install", "-q", wheel)
    check_designs(home / "bin" / "streamopt", tmp_path)
