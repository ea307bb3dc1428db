"""Projects in Verilog, compiled by Verilator and a C++ compiler to a program that counts cycles."""

import atexit
import shutil
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from streamopt.codegen.templates import TYPE_HEADERS
from streamopt.errors import Diagnostic, VerificationError
from streamopt.verification.csim.run_to_end import run_to_end
from streamopt.verification.csim.running import Compiled
from streamopt.verification.csim.separate_modules import configuration, separate_modules
from streamopt.verification.scratch import scratch

VERILATOR = "verilator"
_SHOWN_LINES = 5
_PROBE_LIMIT_S = 300.0
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp", "verilated_dpi.cpp")


@contextmanager
def verilated(directory: Path, top: str, time_limit_s: float = 1200.0) -> Generator[Compiled]:
    """Compile a project in Verilog outside of it; the program is there within the context.

    Parameters
    ----------
    time_limit_s
        For the compilers together, and again for each run.

    Raises
    ------
    VerificationError
        As `built`.
    """
    sources = sorted(path for path in directory.glob("*.v"))
    with scratch("rtl") as at:
        program = built(top, sources, directory / "testbench.cpp", at, time_limit_s)
        yield Compiled(program, directory, "", time_limit_s)


def built(
    top: str,
    sources: Sequence[Path],
    main: Path,
    directory: Path,
    time_limit_s: float = 600.0,
) -> Path:
    """Return the program of a module and a C++ main function.

    Parameters
    ----------
    sources
        Verilog files.
    directory
        What is made stays here.

    Raises
    ------
    VerificationError
        E730 without Verilator, E731 if it or the compiler refuses the design, E704 after the time
        limit.
    """
    path = shutil.which(VERILATOR)
    if path is None:
        hint = "install it: apt install verilator"
        raise VerificationError(Diagnostic("E730", "Verilator is not on the PATH", hint=hint))
    made = directory / "obj"
    command = [path, "--cc", "-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--top-module", top]
    command += ["--x-assign", "0", "--x-initial", "0", "--noassert", "--prefix", "Vdesign"]
    command += ["--Mdir", str(made), *(str(source.absolute()) for source in sources)]
    apart = separate_modules([source.read_text() for source in sources], top)
    if apart:
        rules = directory / "separate.vlt"
        rules.write_text(configuration(apart))
        command += ["--hierarchical", str(rules)]
    _must(command, directory, time_limit_s, top)
    makefile = "Vdesign_hier.mk" if apart else "Vdesign.mk"
    library = ["make", "-s", "-C", str(made), "-f", makefile, "OPT_FAST=-O1"]
    _must(library if apart else [*library, "Vdesign__ALL.a"], directory, time_limit_s, top)
    headers = (f"-I{main.parent.absolute()}", f"-I{TYPE_HEADERS}", f"-I{made}")
    program = directory / "simulation"
    command = [*_compiler(path), *headers, str(main.absolute()), str(made / "Vdesign__ALL.a")]
    _must([*command, _runtime(path), "-o", str(program)], directory, time_limit_s, top)
    return program


def _must(command: Sequence[str], directory: Path, time_limit_s: float, top: str) -> None:
    code, *said = run_to_end(command, directory, time_limit_s, "Verilator")
    if code != 0:
        output = "".join(said).splitlines()
        lines = [line for line in output if "rror" in line] or output
        shown = "\n  ".join(lines[:_SHOWN_LINES])
        raise VerificationError(Diagnostic("E731", f"Verilator refuses {top}:\n  {shown}"))


@cache
def _headers(verilator: str) -> Path:
    """Return the directory of Verilator's C++."""
    command = [verilator, "--getenv", "VERILATOR_ROOT"]
    _, output, _ = run_to_end(command, Path.cwd(), _PROBE_LIMIT_S, "Verilator")
    return Path(output.strip()) / "include"


def _compiler(verilator: str) -> list[str]:
    include = _headers(verilator)
    return ["g++", "-std=c++17", "-O1", "-pthread", f"-I{include}", f"-I{include / 'vltstd'}"]


@cache
def _runtime(verilator: str) -> str:
    """Return Verilator's own C++, compiled, which is the same for all designs."""
    kept = ExitStack()
    atexit.register(kept.close)
    at = kept.enter_context(scratch("verilated"))
    sources = [_headers(verilator) / name for name in _RUNTIME]
    path = str(at / "verilated.o")
    command = [*_compiler(verilator), "-r", *map(str, sources), "-o", path]
    _must(command, at, _PROBE_LIMIT_S, "its own C++")
    return path
