"""The back ends by name: each turns a scheduled graph into the files of one kind of project."""

from collections.abc import Callable, Mapping

from streamopt.codegen.backends import native, rtl, tapa, vitis
from streamopt.codegen.backends.vitis_project import VitisSettings
from streamopt.codegen.design import BackendName, Design
from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.scheduled import ScheduledGraph

BACKENDS: Mapping[BackendName, Callable[[ScheduledGraph], Design]] = {
    BackendName.TAPA: tapa.emit,
    BackendName.VITIS: vitis.emit,
    BackendName.NATIVE: native.emit,
    BackendName.RTL: rtl.emit,
}
"""A function that emits a project, with its usual settings."""


def emit(
    scheduled: ScheduledGraph,
    backend: str = BackendName.VITIS,
    settings: VitisSettings | None = None,
) -> Design:
    """Return the design that a back end makes of a scheduled graph.

    Parameters
    ----------
    settings
        Release, part and clock of the Vitis back end, the usual ones where not given; and the
        intervals that pipelines of all but RTL ask for.

    Raises
    ------
    CodegenError
        E604 for an unknown back end, and what the back end raises.
    """
    try:
        name = BackendName(backend)
    except ValueError:
        message = f"there is no back end '{backend}'"
        hint = f"choose one of {', '.join(BackendName)}"
        raise CodegenError(Diagnostic("E604", message, hint=hint)) from None
    if settings is not None and name is not BackendName.RTL:  # which asks no tool for them
        scheduled = scheduled.asking(dict(settings.intervals or ()))
        if name is BackendName.VITIS:
            return vitis.emit(scheduled, settings)
    return BACKENDS[name](scheduled)
