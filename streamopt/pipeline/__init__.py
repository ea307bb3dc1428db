"""The stages in order, each a function from value to value: the only place where they meet."""

from __future__ import annotations

from streamopt.codegen.vitis_project import VitisSettings
from streamopt.pipeline.building import apply, emit, verify, write
from streamopt.pipeline.crossing import plan_ports, put_outside
from streamopt.pipeline.evaluating import (
    Evaluation,
    FifoSizing,
    evaluate,
    evaluate_network,
    evaluation_record,
    load_design,
    simulate,
    size_fifos,
    target,
    trace_record,
)
from streamopt.pipeline.freedom import BindingChoice, Freedom
from streamopt.pipeline.fronts import front_record, pareto
from streamopt.pipeline.opening import schedule
from streamopt.pipeline.reading import (
    dataflow,
    interpret,
    load,
    load_schedule,
    load_steps,
    save,
    save_steps,
)
from streamopt.pipeline.solving import choice_record, compare, record, records, solve, solvers

__all__ = [
    "BindingChoice",
    "Evaluation",
    "FifoSizing",
    "Freedom",
    "VitisSettings",
    "apply",
    "choice_record",
    "compare",
    "dataflow",
    "emit",
    "evaluate",
    "evaluate_network",
    "evaluation_record",
    "front_record",
    "interpret",
    "load",
    "load_design",
    "load_schedule",
    "load_steps",
    "pareto",
    "plan_ports",
    "put_outside",
    "record",
    "records",
    "save",
    "save_steps",
    "schedule",
    "simulate",
    "size_fifos",
    "solve",
    "solvers",
    "target",
    "trace_record",
    "verify",
    "write",
]
