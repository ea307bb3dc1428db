"""What level opt6 may build floating-point operators from."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BindingChoice"]


class BindingChoice(StrEnum):
    """What floating-point operators may be built from.

    ``free``: DSPs or LUTs, node by node. ``tool``: as the vendor's tool does unasked. ``dsp``:
    likewise, but every multiply-accumulate counts 5 DSPs, though the tool builds adders in haste
    without; operators that are no part of one may be LUTs (O7).
    """

    FREE = "free"
    TOOL = "tool"
    DSP = "dsp"

    @property
    def unpriced(self) -> BindingChoice:
        """Return the nearest choice in which LUTs are no way to save all DSPs."""
        return BindingChoice.TOOL if self is BindingChoice.FREE else self
