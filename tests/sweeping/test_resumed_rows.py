"""Tables whose rows are measured where they aren't known yet."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, FrontendError
from streamopt.sweeping import resumed_rows
from streamopt.sweeping.keyed_rows import read_rows
from streamopt.sweeping.resumed_rows import (
    Case,
    add_options,
    measure_rows,
    measured_or_refused,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from streamopt.sweeping.keyed_rows import MeasuredRow

COMMIT = "0123abc"


def committed(commit: str) -> Callable[[Path], str]:
    def measured_commit(folder: Path) -> str:
        return commit

    return measured_commit


def fill(folder: Path, asked: str, *words: str) -> list[str]:
    """Return the names of the rows that are measured."""
    parser, measured = ArgumentParser(), list[str]()
    add_options(parser, processor_seconds=60.0)

    def one(name: str) -> MeasuredRow:
        return {"cycles": "7", "commit": COMMIT}

    def row(name: str, found: MeasuredRow) -> MeasuredRow:
        return {"name": name, **{key: found.get(key, "") for key in ("cycles", "commit")}}

    def tell(name: str, _: MeasuredRow) -> None:
        measured.append(name)

    cases = [Case((n,), n in asked, partial(one, n), partial(row, n)) for n in "ab"]
    measure_rows(folder, ("name",), cases, parser.parse_args(words), tell)
    return measured


def test_rows_of_this_commit_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumed_rows, "measured_commit", committed(COMMIT))
    assert fill(tmp_path, "ab", "--bounds") == []
    assert not (tmp_path / "environment.json").exists()
    assert fill(tmp_path, "a") == ["a"]
    assert [row["cycles"] for row in read_rows(tmp_path / "rows.csv")] == ["7", ""]
    assert fill(tmp_path, "ab") == ["b"]
    assert fill(tmp_path, "ab", "--again") == ["a", "b"]
    monkeypatch.setattr(resumed_rows, "measured_commit", committed("another"))
    assert fill(tmp_path, "b") == ["b"]


def refused() -> MeasuredRow:
    raise FrontendError(Diagnostic("E163", "no such operator"))


def test_a_refusal_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumed_rows, "measured_commit", committed(COMMIT))
    found = measured_or_refused(tmp_path, 60, refused)
    assert found == {"refused": "E163: no such operator", "commit": COMMIT}
    assert measured_or_refused(tmp_path, 60, dict, {"cycles": "7"})["cycles"] == "7"
