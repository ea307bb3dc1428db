"""The larger of two values, as the program chooses it."""

from pathlib import Path

import pytest

import streamopt as so
from streamopt.codegen.backends.vitis import emit
from streamopt.ir.operators import Operator
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower

CHOSEN = "t[i][j] >= (t[i][k] + t[k + 1][j]) ? t[i][j] : (t[i][k] + t[k + 1][j])"
CALLED = "fmaxf(t[i][j], t[i][k] + t[k + 1][j])"


@pytest.mark.parametrize(("value", "is_called"), [(CHOSEN, False), (CALLED, True)])
def test_terms_are_compared_as_the_program_does(
    value: str, is_called: bool, tmp_path: Path
) -> None:
    path = tmp_path / "nest.c"
    path.write_text(f"""
    void nest(float t[8][8]) {{
      for (int i = 7; i >= 0; i--)
        for (int j = i + 1; j < 8; j++)
          for (int k = i + 1; k < j; k++) t[i][j] = {value};
    }}
    """)
    design = so.solve(so.load(path), level="opt6", dsp=40)
    scheduled = apply(design.graph, design.schedule)
    operations = [o for p in lower(scheduled).pipelines for o in p.operations]
    assert (Operator.MAX in {o.operator for o in operations}) == is_called
    assert any(o.over for o in operations)
    text = "".join(text for _, text in emit(scheduled).files)
    assert ("fmaxf(" in text) == is_called
