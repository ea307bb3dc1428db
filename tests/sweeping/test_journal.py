"""Whole lines count, and one process writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import SweepError
from streamopt.sweeping.journal import Journal, read_journal

if TYPE_CHECKING:
    from pathlib import Path


def test_every_cut_leaves_whole_rows(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.jsonl"
    with Journal(path) as journal:
        journal.add_run("one", {"sources": "x"})
        for number in range(3):
            journal.add_row({"key": str(number), "run": "one", "text": "a\nb"})
    whole = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        rows = max(0, sum(end <= cut for end in ends) - 1)
        with Journal(path) as journal:
            assert list(journal.kept.rows) == [str(number) for number in range(rows)]
            journal.add_row({"key": "new", "run": "one"})
        assert list(read_journal(path).rows) == [*map(str, range(rows)), "new"]


def test_last_row_of_a_key_counts(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal:
        journal.add_row({"key": "k", "status": "failed"})
        journal.add_row({"key": "k", "status": "done"})
    assert read_journal(tmp_path / "j").rows == {"k": {"key": "k", "status": "done"}}


def test_second_writer_is_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "j"), pytest.raises(SweepError, match="E884 another sweep"):
        Journal(tmp_path / "j")
    with Journal(tmp_path / "j") as journal:
        assert not journal.kept.rows


@pytest.mark.parametrize("line", ["x", "1", "{}", '{"kind": "row"}', '{"kind": "other"}'])
def test_foreign_lines_are_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "j"
    path.write_text(f'{{"kind": "row", "key": "a"}}\n{line}\n')
    with pytest.raises(SweepError, match=r"j:2: E885 no line of a sweep"):
        Journal(path)
    path.write_text("")
    with Journal(path):  # and the lock is free again
        pass
