"""The stages in order, each a function from value to value: the only place where they meet.

A name is imported when it is first used, so that a command loads what it needs and no more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamopt.codegen.backends.vitis_project import VitisSettings
    from streamopt.evaluation.design import Evaluation
    from streamopt.evaluation.fifo_sizing import FifoSizing
    from streamopt.pipeline.building import apply, emit, verify, write
    from streamopt.pipeline.by_hand.open_model import OpenModel, model
    from streamopt.pipeline.by_hand.opening import schedule
    from streamopt.pipeline.checking import check
    from streamopt.pipeline.comparing import Comparison, compare, records
    from streamopt.pipeline.design_limits import Budget
    from streamopt.pipeline.engines.decoders import DecoderError, DecoderSolution, decoder
    from streamopt.pipeline.engines.shared import EngineSolution, engine
    from streamopt.pipeline.evaluating import (
        device,
        evaluate,
        evaluate_network,
        load_design,
        simulate,
        size_fifos,
    )
    from streamopt.pipeline.explaining import explain
    from streamopt.pipeline.flat_records import (
        design_record,
        front_record,
        record,
    )
    from streamopt.pipeline.health import doctor
    from streamopt.pipeline.open_tools.synthesizing import bitstream, synthesise
    from streamopt.pipeline.ports import plan_ports, put_outside
    from streamopt.pipeline.reading import (
        Quantized,
        dataflow,
        interpret,
        load,
        load_schedule,
        load_steps,
        quantize,
        save,
        save_steps,
    )
    from streamopt.pipeline.reporting import (
        Report,
        load_result,
        load_rows,
        report_design,
        report_rows,
        report_solution,
    )
    from streamopt.pipeline.rivals import RivalDesign, design
    from streamopt.pipeline.solved import Solved
    from streamopt.pipeline.solving import available_solvers, pareto, solve
    from streamopt.pipeline.sources.readers import SourceOptions
    from streamopt.space.level import BindingChoice
    from streamopt.space.objective import FewestDsps, Interval, Latency, LatencyThenDsps
    from streamopt.strategies.effort import Effort
    from streamopt.strategies.opt6.choices import Space

__all__ = [
    "BindingChoice",
    "Budget",
    "Comparison",
    "DecoderError",
    "DecoderSolution",
    "Effort",
    "EngineSolution",
    "Evaluation",
    "FewestDsps",
    "FifoSizing",
    "Interval",
    "Latency",
    "LatencyThenDsps",
    "OpenModel",
    "Quantized",
    "Report",
    "RivalDesign",
    "Solved",
    "SourceOptions",
    "Space",
    "VitisSettings",
    "apply",
    "available_solvers",
    "bitstream",
    "check",
    "compare",
    "dataflow",
    "decoder",
    "design",
    "design_record",
    "device",
    "doctor",
    "emit",
    "engine",
    "evaluate",
    "evaluate_network",
    "explain",
    "front_record",
    "interpret",
    "load",
    "load_design",
    "load_result",
    "load_rows",
    "load_schedule",
    "load_steps",
    "model",
    "pareto",
    "plan_ports",
    "put_outside",
    "quantize",
    "record",
    "records",
    "report_design",
    "report_rows",
    "report_solution",
    "save",
    "save_steps",
    "schedule",
    "simulate",
    "size_fifos",
    "solve",
    "synthesise",
    "verify",
    "write",
]

_PLACES = {
    "streamopt.pipeline.flat_records": "design_record front_record record",
    "streamopt.codegen.backends.vitis_project": "VitisSettings",
    "streamopt.evaluation.design": "Evaluation",
    "streamopt.evaluation.fifo_sizing": "FifoSizing",
    "streamopt.space.level": "BindingChoice",
    "streamopt.space.objective": "FewestDsps Interval Latency LatencyThenDsps",
    "streamopt.strategies.opt6.choices": "Space",
    "streamopt.pipeline.building": "apply emit verify write",
    "streamopt.pipeline.checking": "check",
    "streamopt.pipeline.comparing": "Comparison compare records",
    "streamopt.pipeline.evaluating": "device evaluate evaluate_network "
    "load_design simulate size_fifos",
    "streamopt.pipeline.design_limits": "Budget",
    "streamopt.pipeline.engines.decoders": "DecoderError DecoderSolution decoder",
    "streamopt.pipeline.engines.shared": "EngineSolution engine",
    "streamopt.pipeline.explaining": "explain",
    "streamopt.pipeline.health": "doctor",
    "streamopt.pipeline.by_hand.open_model": "OpenModel model",
    "streamopt.pipeline.by_hand.opening": "schedule",
    "streamopt.pipeline.ports": "plan_ports put_outside",
    "streamopt.pipeline.sources.readers": "SourceOptions",
    "streamopt.pipeline.reading": "Quantized dataflow interpret load load_schedule load_steps "
    "quantize save save_steps",
    "streamopt.pipeline.reporting": "Report load_result load_rows report_design report_rows "
    "report_solution",
    "streamopt.pipeline.rivals": "RivalDesign design",
    "streamopt.pipeline.solved": "Solved",
    "streamopt.pipeline.solving": "available_solvers pareto solve",
    "streamopt.pipeline.open_tools.synthesizing": "bitstream synthesise",
    "streamopt.strategies.effort": "Effort",
}
_PLACE = {name: module for module, names in _PLACES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Return a public name, from the module that has it."""
    if name not in _PLACE:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(_PLACE[name]), name)
