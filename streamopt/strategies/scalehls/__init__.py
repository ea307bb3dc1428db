"""ScaleHLS: loop order, tiling and pipelining by a search over its own estimate."""

from __future__ import annotations

from streamopt.strategies.scalehls.strategy import design

__all__ = ["design"]
