"""Projects in Verilog, compiled by Verilator and a C++ compiler to a program that counts cycles."""

import atexit
import re
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
_OF_TRACES = ("verilated_vcd_c.cpp",)
_MOST_CYCLES = re.compile(r"simulation::run\(design, \d+, (\d+)")
_TOGETHER_BYTES = 12_000_000
"""Of C++ that is compiled as one source."""
_LONG_CYCLES = 50_000
"""That a run may take, from which optimised C++ saves more time than it takes to compile."""


@contextmanager
def verilated(
    directory: Path, top: str, vcd: Path | None = None, time_limit_s: float = 1200.0
) -> Generator[Compiled]:
    """Compile a project in Verilog outside of it; the program is there within the context.

    Parameters
    ----------
    vcd
        File for all signals of the first run; None for none.
    time_limit_s
        For the compilers together, and again for each run.

    Raises
    ------
    VerificationError
        As `built`.
    """
    sources = sorted(path for path in directory.glob("*.v"))
    with scratch("rtl") as at:
        main, is_traced = directory / "testbench.cpp", vcd is not None
        program = built(top, sources, main, at, time_limit_s, is_traced=is_traced)
        yield Compiled(program, directory, "", time_limit_s, vcd=vcd)


def built(
    top: str,
    sources: Sequence[Path],
    main: Path,
    directory: Path,
    time_limit_s: float = 600.0,
    *,
    is_traced: bool = False,
) -> Path:
    """Return the program of a module and a C++ main function.

    Parameters
    ----------
    sources
        Verilog files.
    directory
        What is made stays here.
    is_traced
        Whether the program can write its signals; then all instances are compiled.

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
    command += ["--trace"] if is_traced else []
    texts = [] if is_traced else [source.read_text() for source in sources]
    apart = separate_modules(texts, top)
    if apart:
        rules = directory / "separate.vlt"
        rules.write_text(configuration(apart))
        command += ["--hierarchical", str(rules)]
    _must(command, directory, time_limit_s, top)
    headers = (f"-I{main.parent.absolute()}", f"-I{TYPE_HEADERS}", f"-I{made}")
    command = [*_compiler(path, is_traced), *headers]
    level = "-O1" if _is_long(main) else "-O0"
    parts = sorted(made.glob("*.cpp"))
    if apart:
        make = ["make", "-s", "-C", str(made), "-f", "Vdesign_hier.mk"]
        libraries = [f"V{name}/lib{name}.a" for name in apart]
        _must([*make, "OPT_FAST=-O1", *libraries], directory, time_limit_s, top)
        _must([*make, f"OPT_FAST={level}"], directory, time_limit_s, top)
    elif sum(part.stat().st_size for part in parts) > _TOGETHER_BYTES:
        make = ["make", "-s", "-C", str(made), "-f", "Vdesign.mk", "Vdesign__ALL.a"]
        _must([*make, f"OPT_FAST={level}"], directory, time_limit_s, top)
    else:
        main = _together([main.absolute(), *parts], directory / "simulation.cpp")
    archive = made / "Vdesign__ALL.a"
    program = directory / "simulation"
    command += [level, str(main.absolute()), *([str(archive)] if archive.exists() else [])]
    command += [_runtime(path, is_traced), "-o", str(program)]
    _must(command, directory, time_limit_s, top)
    return program


def _is_long(main: Path) -> bool:
    """Return whether a main function may run a design for many cycles, as far as it says."""
    most = _MOST_CYCLES.search(main.read_text()) if main.exists() else None
    return most is None or int(most[1]) >= _LONG_CYCLES


def _together(sources: Sequence[Path], path: Path) -> Path:
    """Write a source that is all of some, so that their headers are read once."""
    path.write_text("".join(f'#include "{source}"\n' for source in sources))
    return path


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


def _compiler(verilator: str, is_traced: bool) -> list[str]:
    include = _headers(verilator)
    options = ["-std=c++17", "-pthread", f"-DVM_TRACE={is_traced:d}"]
    return ["g++", *options, f"-I{include}", f"-I{include / 'vltstd'}"]


@cache
def _runtime(verilator: str, is_traced: bool) -> str:
    """Return Verilator's own C++, compiled, which is the same for all designs.

    Little of it is called in a cycle: compiling it fast counts for more than its own speed.
    """
    kept = ExitStack()
    atexit.register(kept.close)
    at = kept.enter_context(scratch("verilated"))
    sources = [_headers(verilator) / name for name in _RUNTIME + _OF_TRACES * is_traced]
    path = str(at / "verilated.o")
    whole = _together(sources, at / "verilated.cpp")
    command = [*_compiler(verilator, is_traced), "-O0", "-c", str(whole), "-o", path]
    _must(command, at, _PROBE_LIMIT_S, "its own C++")
    return path
