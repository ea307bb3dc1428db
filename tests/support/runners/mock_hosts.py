"""Projects compiled with a mock of XRT, and commands that have to succeed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from streamopt.codegen.templates import TYPE_HEADERS
from streamopt.verification.csim.running import HEADERS

MOCKS = Path(__file__).parents[2] / "verification"
FLAGS = ["g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
INCLUDED = (f"-I{HEADERS}", f"-I{TYPE_HEADERS}")
RUNTIME = str(HEADERS / "hls_dataflow.cpp")


def done(command: list[str], directory: Path, **environment: str) -> str:
    """Return what a command prints."""
    ran = subprocess.run(
        command,
        cwd=directory,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def compiled_host(project: Path, top: str, folder: Path) -> str:
    """Return the host of a project in C++, with its kernel in the place of a bitstream."""
    glue = f'#include "{top}.h"\n#include <xrt/xrt_kernel.h>\n'
    glue += "void mock_kernel(const std::string &, const std::vector<xrt::argument> &given) {\n"
    (folder / "glue.cpp").write_text(f"{glue}    xrt::call({top}, given);\n}}\n")
    includes = [f"-I{project}", *INCLUDED, f"-I{MOCKS / 'mock_xrt'}"]
    sources = [str(folder / "glue.cpp"), "host.cpp", f"{top}.cpp", RUNTIME]
    host = str(folder / "host")
    done([*FLAGS, *includes, *sources, "-o", host], project)
    return host


def kernel_library(project: Path, top: str, folder: Path) -> str:
    """Return the kernel of a project as a library, which the mock of pyxrt takes as a bitstream."""
    library = str(folder / f"{top}.so")
    sources = [f"{top}.cpp", RUNTIME]
    done([*FLAGS, "-shared", "-fPIC", *INCLUDED, *sources, "-o", library], project)
    return library
