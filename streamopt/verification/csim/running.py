"""C simulation: compiles a project with our own HLS headers and runs its testbench.

All processes of a dataflow region run at once, with FIFOs of the depths that the design has, see
``include/hls_dataflow.h``.
"""

import atexit
import os
import re
import shutil
import signal
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from streamopt.codegen.templates import TYPE_HEADERS
from streamopt.errors import Diagnostic, VerificationError
from streamopt.verification.csim.run_to_end import run_to_end
from streamopt.verification.scratch import scratch

HEADERS = Path(__file__).parents[1] / "include"
"""Directory of ``hls_stream.h`` and what it needs."""

_FLAGS = ("-std=c++17", "-O1", "-fwrapv", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-pthread")
"""Most designs take far longer to compile than to run."""
_COUNTS = "what is written and what is read differ in number"
_DATAFLOW_ERRORS = {
    4: ("E703", "a process reads from an empty stream", _COUNTS),
    5: ("E703", "a stream is not empty at the end", _COUNTS),
    6: (
        "E708",
        "the processes wait for each other, a deadlock",
        "a process may have written too little, by a guard or a loop bound; else a FIFO is too "
        "shallow, or written in another order than it is read",
    ),
    7: (
        "E714",
        "the processes don't fit together",
        "a channel has one process that writes it, and one that reads it and is called later",
    ),
}
_CYCLES = re.compile(r"^cycles ([\d ]+)$", re.MULTILINE)
_SHOWN_LINES = 5
_RUNTIME_LIMIT_S = 300.0
_TRACE = "STREAMOPT_TRACE"
_STACK = "STREAMOPT_STACK"
_VCD = "STREAMOPT_VCD"
_PATTERN = "-ftrivial-auto-var-init=pattern"
"""Fills what nobody has written: a design that reads it then computes something else."""
_ROOM_BYTES = 2**20
"""Of a stack, for the C library and what calls a process."""


@dataclass(frozen=True, slots=True)
class CsimRun:
    """Outcome of a testbench that came to its end."""

    passed: bool
    output: str
    warnings: str

    @property
    def frame_ends(self) -> tuple[int, ...]:
        """Return the cycles at which frames of a design in Verilog end; nothing of others."""
        found = _CYCLES.search(self.output)
        return () if found is None else tuple(map(int, found[1].split()))


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled testbench."""

    path: Path
    directory: Path
    """Of the project; the working directory of runs."""
    warnings: str
    time_limit_s: float
    stack_bytes: int | None = None
    """That a process needs at most; None where the compiler doesn't tell."""
    is_patterned: bool = True
    """Whether memory that nobody has written holds a pattern."""
    vcd: Path | None = None
    """File for the signals of a design in Verilog."""

    def run(
        self,
        arguments: Sequence[str] = (),
        trace: Path | None = None,
        runs: int = 1,
        frames: int = 1,
    ) -> CsimRun:
        """Run it.

        Parameters
        ----------
        arguments
            Of the testbench: data directory and output directory.
        trace
            Directory for what is written to each stream and buffer; None for no trace.
        runs
            Of the kernel, on the same inputs; the trace is that of the last one.
        frames
            Of a design in Verilog in each run, one after another.

        Raises
        ------
        VerificationError
            E703 for a stream that is read empty or not drained, E704 after the time limit, E705
            for a crash, E706 if the testbench lacks a file, E708 for a deadlock, E714 for
            processes in a wrong order.
        """
        # Local arrays live on the stack, as large as the buffers they stand for.
        script = 'ulimit -s "$(ulimit -H -s)"; exec "$0" "$@"'
        command = ["/bin/sh", "-c", script, str(self.path), *arguments]
        limit = self.time_limit_s
        told = {"STREAMOPT_RUNS": str(runs), "STREAMOPT_FRAMES": str(frames)}
        told |= {} if trace is None else {_TRACE: str(trace)}
        told |= {} if self.stack_bytes is None else {_STACK: str(self.stack_bytes)}
        told |= {} if self.vcd is None else {_VCD: str(self.vcd.absolute())}
        code, output, errors = run_to_end(command, self.directory, limit, "the testbench", told)
        _check_exit(code, errors)
        return CsimRun(code == 0, output, self.warnings)


@contextmanager
def compiled(
    directory: Path,
    sources: Sequence[str],
    time_limit_s: float = 300.0,
    compiler: str = "g++",
    flags: Sequence[str] = (),
) -> Generator[Compiled]:
    """Compile the sources of a project outside of it; the program is there within the context.

    Parameters
    ----------
    sources
        Paths relative to the directory.
    time_limit_s
        For the compiler, and again for each run.
    flags
        More flags of the compiler.

    Raises
    ------
    VerificationError
        E701 without the compiler, E702 if the sources don't compile, E704 after the time limit.
    """
    path = shutil.which(compiler)
    if path is None:
        hint = "install g++, or name another C++17 compiler"
        message = f"C++ compiler '{compiler}' is not on the PATH"
        raise VerificationError(Diagnostic("E701", message, hint=hint))
    with scratch("csim") as build:
        program = build / "testbench"
        prepared = [_prepared(directory, source, build) for source in sources]
        headers = (f"-I{HEADERS}", f"-I{TYPE_HEADERS}", "-I.")
        further = [flag for flag in (_PATTERN, "-fstack-usage") if _takes(path, flag)]
        command = [path, *_FLAGS, *further, *flags, *headers, *prepared]
        command += [_runtime(path, tuple(flags)), "-o", str(program)]
        code, _, messages = run_to_end(command, directory, time_limit_s, "the compiler")
        if code != 0:
            raise VerificationError(_compile_problem(directory, messages))
        stack = _stack_bytes(build)
        yield Compiled(program, directory, messages, time_limit_s, stack, _PATTERN in further)


@cache
def _takes(compiler: str, flag: str) -> bool:
    """Return whether a compiler knows a flag."""
    command = [compiler, flag, "-Werror", "-fsyntax-only", "-x", "c++", os.devnull]
    with scratch("probe") as at:
        return run_to_end(command, at, _RUNTIME_LIMIT_S, "the compiler")[0] == 0


def _stack_bytes(build: Path) -> int | None:
    """Return a bound on the stack of any process: all frames of the design, each at most once."""
    lines = [line for file in build.rglob("*.su") for line in file.read_text().splitlines()]
    sizes = [line.split("\t") for line in lines]
    if not sizes or any(len(parts) != 3 or not parts[1].isdigit() for parts in sizes):
        return None
    return sum(int(parts[1]) for parts in sizes) + _ROOM_BYTES


@cache
def _runtime(compiler: str, flags: tuple[str, ...]) -> str:
    """Return the compiled coroutines, which are the same for all designs."""
    kept = ExitStack()
    atexit.register(kept.close)
    build = kept.enter_context(scratch("runtime"))
    path = str(build / "hls_dataflow.o")
    source = str(HEADERS / "hls_dataflow.cpp")
    command = [compiler, *_FLAGS, *flags, f"-I{HEADERS}", "-c", source, "-o", path]
    code, _, messages = run_to_end(command, HEADERS, _RUNTIME_LIMIT_S, "the compiler")
    if code != 0:
        raise VerificationError(_compile_problem(HEADERS, messages))
    return path


def _prepared(directory: Path, source: str, build: Path) -> str:
    """Return the path of a source whose dataflow regions run at once."""
    try:
        text = (directory / source).read_text(encoding="utf-8")
    except OSError:
        return source  # the compiler says what is wrong
    path = build / source
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(with_concurrent_processes(text, source), encoding="utf-8")
    return str(path)


def _compile_problem(directory: Path, messages: str) -> Diagnostic:
    errors = [line for line in messages.splitlines() if "error" in line]
    shown = "\n  ".join((errors or messages.splitlines())[:_SHOWN_LINES])
    return Diagnostic("E702", f"the design in {directory} does not compile:\n  {shown}")


def _check_exit(code: int, errors: str) -> None:
    said = "\n  ".join(errors.splitlines()[:_SHOWN_LINES])
    if code in (0, 1):
        return
    if code in _DATAFLOW_ERRORS and "dataflow: " in errors:
        error, what, hint = _DATAFLOW_ERRORS[code]
        said = said.replace("dataflow: ", "")
        raise VerificationError(Diagnostic(error, f"{what}:\n  {said}", hint=hint))
    if code == 2:
        raise VerificationError(Diagnostic("E706", f"the testbench could not run:\n  {said}"))
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    raise VerificationError(Diagnostic("E705", f"the testbench ended with {how}\n  {said}"))


_REGION = re.compile(r"^\s*#\s*pragma\s+HLS\s+dataflow\b.*?^\}", re.M | re.S | re.I)
_CALL = re.compile(r"^(\s*)(\w+(?:<[^;]*?>)?)\(([^;()]*)\);$", re.MULTILINE)


def with_concurrent_processes(text: str, path: str) -> str:
    """Return C++ in which the calls of every dataflow region run at once.

    Parameters
    ----------
    path
        What the compiler is to call the text in its messages.
    """
    changed, regions = _REGION.subn(_region, text)
    header = '#include "hls_dataflow.h"\n' if regions else ""
    return f'{header}#line 1 "{path}"\n{changed}'


def _region(found: re.Match[str]) -> str:
    calls = _CALL.sub(_call, found[0])
    return f"{calls.removesuffix('}')}    hls::run_processes(); }}"


def _call(found: re.Match[str]) -> str:
    indent, function, arguments = found.groups()
    call = re.sub(r"\s+", " ", f"{function}({arguments})")
    listed = f", {arguments}" if arguments.strip() else ""
    return f'{indent}hls::process("{call}", {function}, [&] {{ {call}; }}{listed});'
