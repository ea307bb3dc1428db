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

from streamopt import pipeline
from streamopt.errors import StreamoptError

if TYPE_CHECKING:
    from streamopt.frontends import dsl
    from streamopt.pipeline import *  # noqa: F403
    from streamopt.running.outcome import RunOutcome
    from streamopt.running.request import RunOptions
    from streamopt.running.run import run
    from streamopt.sweeping import sweep

__version__ = "0.1.0"

__all__: list[str] = [
    "RunOptions",
    "RunOutcome",
    "StreamoptError",
    "__version__",
    "dsl",
    "run",
    "sweep",
]
__all__ += pipeline.__all__

_HOMES = {
    "RunOptions": "streamopt.running.request",
    "RunOutcome": "streamopt.running.outcome",
    "run": "streamopt.running.run",
    "sweep": "streamopt.sweeping",
}


def __dir__() -> list[str]:
    """Return the public names, which are imported when they are first used."""
    return __all__


def __getattr__(name: str) -> Any:
    """Return a public name, imported when it is first used."""
    if name == "dsl":
        return import_module("streamopt.frontends.dsl")
    if name not in __all__:
        raise AttributeError(f"module 'streamopt' has no attribute '{name}'")
    return getattr(import_module(_HOMES.get(name, "streamopt.pipeline")), name)
