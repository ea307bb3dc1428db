"""streamopt: affine programs in, proven streaming FPGA accelerators out.

::

    import streamopt as so

    program = so.load("graphs/polybench/3mm.json")
    graph = so.dataflow(program)
    solution = so.solve(graph, level="opt5", dsp=2560)
    so.simulate(graph, solution.schedule).cycles
    so.write(program, solution.schedule, "build/3mm")
    so.verify("build/3mm").raise_if_failed()

`streamopt.dsl` makes programs in Python.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from streamopt.errors import StreamoptError

if TYPE_CHECKING:
    from streamopt.frontends import dsl
    from streamopt.pipeline import (
        BindingChoice,
        Budget,
        Comparison,
        Effort,
        Evaluation,
        FewestDsps,
        FifoSizing,
        Interval,
        Latency,
        LatencyThenDsps,
        OpenModel,
        Report,
        RivalDesign,
        Solved,
        SourceOptions,
        Space,
        VitisSettings,
        apply,
        check,
        compare,
        dataflow,
        design,
        design_record,
        device,
        doctor,
        emit,
        evaluate,
        evaluate_network,
        explain,
        front_record,
        interpret,
        load,
        load_design,
        load_result,
        load_rows,
        load_schedule,
        load_steps,
        model,
        pareto,
        plan_ports,
        put_outside,
        record,
        records,
        report_design,
        report_rows,
        report_solution,
        save,
        save_steps,
        schedule,
        simulate,
        size_fifos,
        solve,
        verify,
        write,
    )

    # Under a name that no subpackage has: importing `streamopt.solvers` would put itself in the
    # place of a function of that name.
    from streamopt.pipeline import solvers as available_solvers
    from streamopt.running.outcome import RunOutcome
    from streamopt.running.request import RunOptions
    from streamopt.running.run import run
    from streamopt.sweeping import sweep

__version__ = "0.1.0"

__all__ = [
    "BindingChoice",
    "Budget",
    "Comparison",
    "Effort",
    "Evaluation",
    "FewestDsps",
    "FifoSizing",
    "Interval",
    "Latency",
    "LatencyThenDsps",
    "OpenModel",
    "Report",
    "RivalDesign",
    "RunOptions",
    "RunOutcome",
    "Solved",
    "SourceOptions",
    "Space",
    "StreamoptError",
    "VitisSettings",
    "__version__",
    "apply",
    "available_solvers",
    "check",
    "compare",
    "dataflow",
    "design",
    "design_record",
    "device",
    "doctor",
    "dsl",
    "emit",
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
    "record",
    "records",
    "report_design",
    "report_rows",
    "report_solution",
    "run",
    "save",
    "save_steps",
    "schedule",
    "simulate",
    "size_fifos",
    "solve",
    "sweep",
    "verify",
    "write",
]


def __dir__() -> list[str]:
    """Return the public names, which are imported when they are first used."""
    return __all__


_RENAMED = {"available_solvers": "solvers"}
_HOMES = {
    "RunOptions": "streamopt.running.request",
    "RunOutcome": "streamopt.running.outcome",
    "run": "streamopt.running.run",
    "sweep": "streamopt.sweeping",
}


def __getattr__(name: str) -> Any:
    """Return a public name, imported when it is first used."""
    if name == "dsl":
        return import_module("streamopt.frontends.dsl")
    if name not in __all__:
        raise AttributeError(f"module 'streamopt' has no attribute '{name}'")
    home = _HOMES.get(name, "streamopt.pipeline")
    return getattr(import_module(home), _RENAMED.get(name, name))
