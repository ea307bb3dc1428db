"""Sources that write nothing that their callers see are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamopt.errors import LegalityError
from tests.support.programs.c_nests import program_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "body",
    ["double t = A[0];", "for (int i = 4; i < 2; i++) A[i] = 0.0;", ""],
)
def test_nothing_to_see(body: str, tmp_path: Path) -> None:
    with pytest.raises(LegalityError) as raised:
        program_of(tmp_path, f"(double A[4]) {{ {body} }}")
    assert str(raised.value) == (
        "E221 'f' writes no array that its caller sees\n  hint: write an array argument"
    )
