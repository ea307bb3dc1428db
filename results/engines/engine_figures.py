"""A search for an engine, and the figures of what it found that rows of all engines have."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import streamopt as so

__all__ = ["searched"]


def searched(search: Callable[[], so.EngineSolution]) -> tuple[so.EngineSolution, dict[str, str]]:
    """Return the engine that a search finds, and its figures by column.

    Raises
    ------
    StreamoptError
        If there is none.
    """
    started = process_time()
    found = search()
    seconds = process_time() - started
    evaluation = found.evaluation
    table, used = evaluation.hardware.table, evaluation.resources.total
    return found, {
        "cycles": str(found.cycles),
        "bound": str(found.bound_cycles),
        "roofline": str(found.roofline_cycles),
        "stalls": str(evaluation.run.stall_cycles),
        "dsps": str(used.dsps),
        "lut": str(used.luts),
        "bram18": str(used.bram18),
        "weight_bytes": str(table.words * table.word_bytes),
        "shape": str(table.shape),
        "simulated": str(found.simulated),
        "shapes": str(found.shapes),
        "search_seconds": f"{seconds:.1f}",
    }
