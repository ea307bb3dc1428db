"""Tables keep their digits in pipes and on narrow terminals."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from streamopt.cli.printing import fitted, print_tables, print_warnings
from streamopt.cli.tables import rate_words
from streamopt.errors import DesignWarning

if TYPE_CHECKING:
    import pytest

NUMBERS = {
    "model": "1277636",
    "simulated": "1277699",
    "interval": "1276421",
    "of MAC line": "586.1x",
}


def table() -> Table:
    made = Table(title="atax at 2560 DSPs")
    made.add_column("level")
    for name in NUMBERS:
        made.add_column(name, justify="right")
    made.add_column("proof")
    made.add_row("opt1", *NUMBERS.values(), "optimal in the opt1 model (proved)")
    return made


def shown(made: Table, width: int) -> str:
    console = Console(width=width, file=StringIO())
    with console.capture() as captured:
        console.print(made)
    return captured.get()


def test_pipes_have_no_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_tables(table())
    text = capsys.readouterr().out
    for cell in (*NUMBERS, *NUMBERS.values(), "optimal in the opt1 model (proved)"):
        assert cell in text


def test_columns_go_before_digits() -> None:
    for width in range(30, 120):
        kept, left_out = fitted(table(), width)
        text = shown(kept, width)
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= width
        for name, cell in NUMBERS.items():
            assert (cell in text) == (name not in left_out)
    assert fitted(table(), 119)[1] == []
    assert fitted(table(), 40)[1] == ["simulated", "interval", "of MAC line"]


def test_tables_without_rows_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    empty = Table(title="channels")
    empty.add_column("channel")
    print_tables(empty)
    assert capsys.readouterr().out == ""


def test_few_warnings_of_a_kind_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    risks = [DesignWarning("W06", f"risk {number}", remedy="unroll less") for number in range(9)]
    print_warnings([DesignWarning("W01", "far"), *risks])
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "warning: W01 far",
        *(line for n in range(3) for line in (f"warning: W06 risk {n}", "  hint: unroll less")),
        "warning: W06 6 more of this kind; --json has all",
    ]


def test_products_that_share_a_dsp_are_counted_by_dsp() -> None:
    assert [rate_words(dsps) for dsps in (5, 1, 0.5)] == [
        "5 DSPs a MAC", "1 DSP a MAC", "2 MACs a DSP",
    ]  # fmt: skip
