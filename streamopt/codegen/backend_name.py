"""The names of the back ends; their code is in `streamopt.codegen.backends`."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BackendName"]


class BackendName(StrEnum):
    """What a project is for."""

    TAPA = "tapa"
    """TAPA: tasks joined by streams, arrays in memory off the chip."""
    VITIS = "vitis"
    """Vitis HLS: streamed C++ with pragmas."""
    NATIVE = "native"
    """A CPU: plain C++17, a thread for each process."""
