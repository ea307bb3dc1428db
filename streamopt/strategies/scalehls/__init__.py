"""ScaleHLS: loop order, tiling and pipelining by a search over its own estimate."""

from streamopt.strategies.scalehls.strategy import design

__all__ = ["design"]
