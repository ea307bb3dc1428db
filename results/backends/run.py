"""Emit, compile and run every program x level x back end x ports; writes rows.csv and README.md.

Run ``python results/backends/run.py [--programs WORD,WORD] [--levels L,L] [--backends B,B]
[--ports P,P] [--compiler CXX] [--time-limit S] [--solve-limit S] [--again]``. Rows are written as
they come; what is in rows.csv already is left out unless ``--again``. A program and a level have a
process of their own, which solves once; ``--time-limit`` is for all of its designs, each.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Timer
from time import perf_counter
from typing import TYPE_CHECKING, Any

from page import write_page
from rows import KEYS, add, environment, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rows import Row

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
PROGRAMS = tuple(
    sorted(str(path.relative_to(GRAPHS).with_suffix("")) for path in GRAPHS.rglob("*.json"))
)
LEVELS = ("opt1", "opt2", "opt3", "opt4", "opt5", "opt6")
PORTS = {"vitis": ("memory", "m_axi", "axis"), "native": ("memory",), "tapa": ("m_axi",)}
"""That a back end has: on the chip, in memory off it, streams."""
TILING_LIMITS = {"residual_block": 8, "dwsconv_block": 8, "multi_head_attention": 1}
"""Of the published experiments, where it isn't 16."""


@dataclass(frozen=True, slots=True)
class Job:
    """The designs of one program and level, which are made of one solution.

    Attributes
    ----------
    made
        Pairs (back end, ports).
    """

    program: str
    level: str
    tiling_limit: int | None
    compiler: str
    made: tuple[tuple[str, str], ...]
    time_limit_seconds: float
    solve_limit_seconds: float

    @property
    def keys(self) -> list[Row]:
        """Return what the rows of the designs begin with."""
        head = {"program": self.program, "level": self.level, "compiler": self.compiler}
        return [{**head, "backend": backend, "ports": ports} for backend, ports in self.made]


def jobs(options: argparse.Namespace) -> Iterator[Job]:
    """Yield what is to be done."""
    rows = [] if options.again else read()
    known = {tuple(row[key] for key in KEYS) for row in rows}
    ports, backends = options.ports.split(","), options.backends.split(",")
    words = options.programs.split(",")
    for program in (name for name in PROGRAMS if any(word in name for word in words)):
        for level in options.levels.split(","):
            limit = TILING_LIMITS.get(program.rpartition("/")[2])
            made = tuple(
                (backend, kind)
                for backend in backends
                for kind in PORTS[backend]
                if kind in ports and (program, level, backend, kind, options.compiler) not in known
            )
            limits = options.time_limit, options.solve_limit
            if made:
                tiles = None if level == "opt6" else limit
                yield Job(program, level, tiles, options.compiler, made, *limits)


def rows_of(job: Job) -> Iterator[Row]:
    """Yield a row of each design: what was measured, or why nothing was."""
    command = [sys.executable, str(HERE / "measure.py"), json.dumps(asdict(job))]
    seconds = job.solve_limit_seconds + job.time_limit_seconds * (len(job.made) + 1)
    left = job.keys
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        timer = Timer(seconds, _end, (process.pid,))
        timer.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                yield {**left.pop(0), **json.loads(line)}
        finally:
            timer.cancel()
            _end(process.pid)  # compilers and compiled programs are in its group
    why = {"verdict": f"no answer, exit code {process.returncode}, limit {seconds:g} s"}
    yield from ({**key, **why} for key in left)


def _end(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def main() -> None:
    """Measure what is asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--backends", default=",".join(PORTS))
    parser.add_argument("--ports", default=",".join(PORTS["vitis"]))
    parser.add_argument("--compiler", default="g++", help="g++ or clang++")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds of a design")
    parser.add_argument("--solve-limit", type=float, default=60.0, help="seconds of a search")
    parser.add_argument("--again", action="store_true", help="what is known, too")
    options: Any = parser.parse_args()
    started = perf_counter()
    for job in jobs(options):
        for row in rows_of(job):
            add(row)
            print(*(value for value in row.values() if value), flush=True)
    environment(options.compiler, " ".join(sys.argv[1:]), perf_counter() - started)
    write_page()


if __name__ == "__main__":
    main()
