"""Exit codes are those that the help and the pages of the command line tell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from streamopt import pipeline
from streamopt.cli import EXIT_CODES
from streamopt.cli.main import app
from streamopt.cli.main import main as run
from streamopt.pipeline.health import Check, Group, State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BROKEN = Check(Group.CORE, "numpy", State.MISSING, fix="pip install numpy")


def bug() -> None:
    raise RuntimeError("a bug")


def stopped() -> None:
    raise KeyboardInterrupt


def broken() -> Sequence[Check]:
    return (BROKEN,)


@pytest.mark.parametrize(
    ("code", "words", "doctor"),
    [
        (0, ["--version"], None),
        (1, ["doctor"], broken),
        (2, ["solve", "there_is_no.json"], None),
        (2, ["solve", "--no-such-option"], None),
        (70, ["doctor"], bug),
        (130, ["doctor"], stopped),
    ],
)
def test_exit_codes(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: int,
    words: list[str],
    doctor: Callable[[], object] | None,
) -> None:
    monkeypatch.setattr(sys, "argv", ["streamopt", *words])
    if doctor is not None:
        monkeypatch.setattr(pipeline, "doctor", doctor)
    with pytest.raises(SystemExit) as ended:
        run()
    assert (ended.value.code or 0) == code
    assert code in EXIT_CODES
    assert "Traceback" not in capsys.readouterr().err


def test_help_tells_all_codes() -> None:
    assert app.info.epilog is not None
    for code, told in EXIT_CODES.items():
        assert f"{code} {told}" in app.info.epilog
