"""The stages in order, each a function from value to value: the only place where they meet."""

from __future__ import annotations

from streamopt.pipeline.building import apply, emit, verify, write
from streamopt.pipeline.reading import dataflow, interpret, load, load_schedule, save
from streamopt.pipeline.solving import compare, record, records, solve, solvers

__all__ = [
    "apply",
    "compare",
    "dataflow",
    "emit",
    "interpret",
    "load",
    "load_schedule",
    "record",
    "records",
    "save",
    "solve",
    "solvers",
    "verify",
    "write",
]
