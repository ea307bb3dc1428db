"""Which check finds a fault: emission again, and the others with its findings left aside."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from projects import TOP

import streamopt as so
from streamopt.verification.csim.running import HEADERS, compiled
from streamopt.verification.manifest import read_manifest
from streamopt.verification.verify import verify_compiled

if TYPE_CHECKING:
    from pathlib import Path

    from faults import Fault

    from streamopt.errors import Diagnostic
    from streamopt.verification.compare import DesignVerdict

__all__ = ["Found", "checked"]

MOCK = TOP / "tests/verification/mock_xrt"
_HERE = re.compile(r"\S*/project/")
_NO_PATTERN = ("-ftrivial-auto-var-init=uninitialized",)
_BY_CODE = {
    "E702": "compiler",
    "E703": "tokens",
    "E704": "time limit",
    "E705": "crash",
    "E708": "deadlock",
    "E714": "order of processes",
}


@dataclass(frozen=True, slots=True)
class Found:
    """Findings on one fault; texts are empty where a check sees nothing.

    Attributes
    ----------
    emission
        What emission again names.
    other
        The check that finds it otherwise.
    message
        What that one says.
    """

    emission: str
    other: str
    message: str


def checked(fault: Fault, project: Path) -> Found:
    """Return who finds a fault that a project has."""
    try:
        verdict = so.verify(project, allow_edits=True)
    except so.StreamoptError as error:
        others = [one for one in error.diagnostics if one.code != "E728"]
        code = others[0].code
        kind = "rules of the tool" if code.startswith("E6") else _BY_CODE.get(code, code)
        return Found(_edits(error.diagnostics), kind, _shown(others))
    emission = _edits(verdict.edits)
    if verdict.is_wrong:
        return Found(emission, _of_values(verdict, project), _wrong(verdict))
    if fault.file == "host.cpp":
        said = _host(project)
        return Found(emission, "host with a mock of XRT (tests)" if said else "", said)
    return Found(emission, "", "")


def _edits(problems: tuple[Diagnostic, ...]) -> str:
    return _shown([one for one in problems if one.code == "E728"])


def _shown(problems: list[Diagnostic]) -> str:
    """Return the first problem, and the first wrong token, without hints."""
    tokens = [one for one in problems[1:] if one.code == "E716"]
    texts = (str(one).split("\n  hint:")[0] for one in [*problems[:1], *tokens])
    return _in_project("; ".join(" ".join(text.split()) for text in texts))


def _in_project(text: str) -> str:
    """Return a text with paths from the project, or from the top of the repository."""
    return _HERE.sub("", text).replace(f"{TOP}/", "")


def _wrong(verdict: DesignVerdict) -> str:
    if verdict.first_wrong is not None:
        return _in_project(str(verdict.first_wrong))
    return " ".join(str(next(o for o in verdict.outputs if o.wrong)).split())


def _of_values(verdict: DesignVerdict, project: Path) -> str:
    """Return which check of values it is: in the first run, in a later one, or with a pattern."""
    wrong = [output.name for output in verdict.outputs if output.wrong]
    if wrong and all("later run" in name for name in wrong):
        return "second run"
    manifest, program = read_manifest(project), so.load(project / "graph.json")
    with compiled(project, manifest.sources, flags=_NO_PATTERN) as design:
        without = verify_compiled(design, program)
    if not without.outputs[0].wrong and not without.is_wrong:
        return "patterned memory"
    return "values"


def _host(project: Path) -> str:
    """Return the words of a mock of XRT about a host; nothing where all is right."""
    manifest = read_manifest(project)
    names = "const std::string &, const std::vector<xrt::argument> &given"
    call = "" if "stream_movers.cpp" in os.listdir(project) else f"xrt::call({manifest.top}, given)"
    glue = f'#include "{manifest.top}.h"\n#include <xrt/xrt_kernel.h>\n'
    glue += f"void mock_kernel({names}) {{ (void)given; {call}; }}\n"
    with TemporaryDirectory() as at:
        with open(f"{at}/glue.cpp", "w", encoding="utf-8") as file:
            file.write(glue)
        flags = ["-std=c++17", "-O1", "-Wno-unknown-pragmas", f"-I{project}", f"-I{HEADERS}"]
        sources = [f"{at}/glue.cpp", "host.cpp", f"{manifest.top}.cpp"]
        sources.append(str(HEADERS / "hls_dataflow.cpp"))
        command = ["g++", *flags, f"-I{MOCK}", *sources, "-o", f"{at}/host"]
        steps = [command, [f"{at}/host", "data", "", f"{manifest.top}.xclbin"]]
        for step in steps[: 2 if call else 1]:
            ran = subprocess.run(step, cwd=project, capture_output=True, text=True, timeout=300)
            if ran.returncode != 0:
                said = [
                    line
                    for line in (ran.stdout + ran.stderr).splitlines()
                    if line.startswith(("FAIL", "mock xrt")) or "error: " in line
                ]
                return said[0] if said else f"exit code {ran.returncode}"
    return ""
