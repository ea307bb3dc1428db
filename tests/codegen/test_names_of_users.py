"""Programs whose names mean something to C++, to headers that designs include, or to isl."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.codegen.names import is_reserved

if TYPE_CHECKING:
    from pathlib import Path

CARRIED = """void {top}(float {a}[6][6], float {p}[7]) {{
  for (int {i} = 1; {i} < 6; {i}++)
    for (int {j} = 0; {j} < 6 - {i}; {j}++) {{
      float {t} = {a}[{j}][{j} + {i}] * 0.5f;
      for (int {k} = {j}; {k} < {j} + {i}; {k}++)
        {t} += {a}[{j}][{k}] * {p}[{k} + 1];
      {a}[{j}][{j} + {i}] = {t};
    }}
}}
"""
STREAMED = """void {top}(float {a}[6][6], float {p}[6]) {{
  float {t}[6];
  for (int {i} = 0; {i} < 6; {i}++) {{
    {t}[{i}] = 0;
    for (int {j} = 0; {j} < 6; {j}++)
      {t}[{i}] += {a}[{i}][{j}] * 2.0f;
  }}
  for (int {k} = 0; {k} < 6; {k}++)
    {p}[{k}] = {t}[{k}] + {t}[5 - {k}];
}}
"""
NAMES = [
    "M N T I J K top",
    "EOF NULL INFINITY NAN stderr errno main",
    "_Complex_I M_PI FLT_RADIX CHAR_BIT EIO LC_ALL printf",
    "class new template this public or and",
    "FP_IN FP_OUT M_2_PI INT_FAST8_MAX SEEK_SET RAND_MAX FP_TOP",
    "sin lambda index inf relu def print",
    "__a b__c _d e_ A A_ f__",
]
_HEADERS = """cmath cstdint cstddef cstdio cstdlib cstring string vector fstream iostream limits
memory thread array algorithm mutex atomic chrono functional pthread.h"""


@pytest.mark.parametrize(
    ("text", "names"),
    [*((CARRIED, own) for own in NAMES), (STREAMED, NAMES[1]), (STREAMED, NAMES[3])],
)
def test_any_names_are_built(text: str, names: str, tmp_path: Path) -> None:
    own = dict(zip(("a", "p", "t", "i", "j", "k", "top"), names.split(), strict=True))
    path = tmp_path / "code.c"
    path.write_text(text.format(**own))
    graph = so.dataflow(so.load(path))
    so.solve(graph, level="opt4", dsp=32).write(tmp_path / "project")
    assert so.verify(tmp_path / "project").passed


def test_macros_of_headers_are_reserved(tmp_path: Path) -> None:
    path = tmp_path / "headers.cpp"
    path.write_text("".join(f"#include <{name}>\n" for name in _HEADERS.split()))
    command = ["g++", "-std=c++17", "-dM", "-E", str(path)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^#define ([A-Za-z]\w*) ", text, re.MULTILINE)
    assert len(found) > 100
    assert [name for name in found if not is_reserved(name)] == []
