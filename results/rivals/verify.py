"""Compile and run the C++ of every strategy's designs: verified.csv.

Run ``python results/rivals/verify.py [--programs WORD,WORD] [--strategies NAME,NAME] [--seconds S]
[--again]``. PolyBench is of size MINI. Rows are written as they come; what has a row keeps it
without ``--again``. Every row has a process of its own, which is ended after its seconds.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from named_programs import HERE, NAMES, program, suite

import streamopt as so
from streamopt.errors import StrategyError, VerificationError
from streamopt.strategies.rival import RivalName
from streamopt.sweeping.limited import CrashedError, GivenUpError, within

if TYPE_CHECKING:
    from streamopt.errors import StreamoptError
    from streamopt.ir.program import Program
    from streamopt.verification.compare import DesignVerdict

DSPS = 2560
SIZE = "MINI"
"""Of PolyBench."""
ELEMENTS = ("FLOAT", "DOUBLE")
NO_BOUND = "E713"
FILE = HERE / "verified.csv"
COLUMNS: tuple[str, ...] = ("program", "strategy", "size", "verdict", "seconds", "reason")

Row = dict[str, str]


def verified(name: str, strategy: str) -> tuple[str, str]:
    """Return ``pass``, ``fail``, ``refused`` or ``unbounded``, and why.

    Where single precision has no finite error bounds, which says nothing of the design, PolyBench
    is tried in double precision.
    """
    found = "unbounded", ""
    for element in ELEMENTS if suite(name) == "PolyBench" else ELEMENTS[:1]:
        try:
            verdict = _verdict(program(name, SIZE, element), strategy)
        except StrategyError as error:
            return "refused", _reasons(error)
        except VerificationError as error:
            if {each.code for each in error.diagnostics} != {NO_BOUND}:
                raise
            found = "unbounded", _reasons(error)
        else:
            note = "" if element == ELEMENTS[0] else f"{element.lower()} precision"
            return ("pass", note) if verdict.passed else ("fail", str(verdict))
    return found


def _verdict(source: Program, strategy: str) -> DesignVerdict:
    schedule = so.design(so.dataflow(source), strategy, dsp=DSPS).schedule
    with TemporaryDirectory() as folder:
        project = Path(folder) / "design"
        so.write(source, schedule, project)
        return so.verify(project)


def _reasons(error: StreamoptError) -> str:
    return "; ".join(f"{each.code} {each.message}" for each in error.diagnostics)


def row_of(name: str, strategy: str, seconds: float) -> Row:
    """Return the row of a design, verified in a process of its own."""
    started = perf_counter()
    try:
        verdict, reason = within(seconds, _found, name, strategy)
    except CrashedError:
        verdict, reason = "crashed", "its process ended without an answer"
    except GivenUpError as error:
        verdict, reason = "timed_out", str(error)
    return {
        "program": name,
        "strategy": strategy,
        "size": SIZE.lower() if suite(name) == "PolyBench" else "",
        "verdict": verdict,
        "seconds": f"{perf_counter() - started:.1f}",
        "reason": reason,
    }


def _found(name: str, strategy: str) -> tuple[str, str]:
    try:
        return verified(name, strategy)
    except Exception as error:  # the row says what happened, and the run goes on
        return "fail", f"{type(error).__name__}: {error}"


def rows() -> dict[tuple[str, str], Row]:
    """Return the rows that are in the file."""
    if not FILE.exists():
        return {}
    with FILE.open(encoding="utf-8", newline="") as file:
        return {(row["program"], row["strategy"]): row for row in csv.DictReader(file)}


def write(found: dict[tuple[str, str], Row]) -> None:
    """Write all rows in the order of programs and strategies."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        every = [(name, strategy.value) for name in NAMES for strategy in RivalName]
        writer.writerows(found[key] for key in every if key in found)


def main() -> None:
    """Verify what has no row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--strategies", default=",".join(RivalName))
    parser.add_argument("--seconds", type=float, default=300.0, help="for each row")
    parser.add_argument("--again", action="store_true", help="also what has a row")
    options = parser.parse_args()
    words = options.programs.split(",")
    for name in [name for name in NAMES if any(word in name for word in words)]:
        for strategy in options.strategies.split(","):
            if options.again or (name, strategy) not in rows():
                row = row_of(name, strategy, options.seconds)
                write({**rows(), (name, strategy): row})
                print(*(row[column] for column in COLUMNS), flush=True)


if __name__ == "__main__":
    main()
