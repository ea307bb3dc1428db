"""What rests on the model of [1] and so says nothing of the level beyond it.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SolverError
from streamopt.space.level import PAPER_LEVELS

if TYPE_CHECKING:
    from streamopt.space.level import Level

__all__ = ["check_published"]


def check_published(level: Level, what: str, hint: str) -> None:
    """Refuse a level whose costs are not the published ones.

    Parameters
    ----------
    what
        That is asked for: "the exhaustive search".
    hint
        What to ask for instead.

    Raises
    ------
    SolverError
        E523.
    """
    if level.is_as_built:
        message = f"{what} is for {PAPER_LEVELS[0]} to {PAPER_LEVELS[-1]}, not for {level.name}"
        raise SolverError(Diagnostic("E523", message, hint=hint))
