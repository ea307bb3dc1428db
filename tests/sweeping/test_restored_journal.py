"""A sweep goes on from its table where the journal is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import SweepError
from streamopt.sweeping.journal import read_journal
from streamopt.sweeping.running import JOURNAL, Means, Wanted, run_sweep
from tests.support.small_experiment import small_experiment

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_of_the_table_are_not_measured_again(tmp_path: Path) -> None:
    file = small_experiment(tmp_path, 2)
    first = run_sweep(file, tmp_path, Means())
    files = [tmp_path / name for name in ("rows.csv", "environment.json")]
    texts = [path.read_text() for path in files]
    whole = (tmp_path / JOURNAL).read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in (0, *ends):  # a kill while rows are put back
        (tmp_path / JOURNAL).write_bytes(whole[:cut])
        assert run_sweep(file, tmp_path, Means(), Wanted(only=("none",))) == first
        assert [path.read_text() for path in files] == texts
        assert list(read_journal(tmp_path / JOURNAL).rows.values()) == first


def test_a_table_of_other_runs_is_told(tmp_path: Path) -> None:
    file = small_experiment(tmp_path, 1)
    run_sweep(file, tmp_path, Means())
    (tmp_path / JOURNAL).unlink()
    (tmp_path / "environment.json").write_text('{"runs": []}')
    before = (tmp_path / "rows.csv").read_text()
    with pytest.raises(SweepError, match=r"rows.csv: E885 the rows are not those of env"):
        run_sweep(file, tmp_path, Means())
    assert (tmp_path / "rows.csv").read_text() == before
